import type { Database } from '@holdfast/db/client';
import { setPlatformOverage } from '@holdfast/db/organizations';
import { overagePolicies } from '@holdfast/domain/ledger';
import { parseConfig } from '@holdfast/kit/config';
import { z } from 'zod';

/** Stored in the database, so that all services use the same policies. */
export const overageConfig = {
  OVERAGE: z
    .enum(overagePolicies)
    .optional()
    .describe(
      'A cost above the hold: charge it in full, or cap it at the hold and the available balance (docs/money.md). If unset, the database keeps its value, initially charge',
    ),
  SPEND_LIMIT_OVERAGE: z
    .enum(overagePolicies)
    .optional()
    .describe(
      'A cost above a spend limit: charge it in full, or cap it at the hold and the rest of the limit. If unset, the database keeps its value, initially cap, or charge in an installation older than this setting',
    ),
};

export async function applyOverage(db: Database, environment: NodeJS.ProcessEnv): Promise<string> {
  const set = parseConfig(overageConfig, environment);
  const { overage, spendLimitOverage } = await setPlatformOverage(db, {
    overage: set.OVERAGE,
    spendLimitOverage: set.SPEND_LIMIT_OVERAGE,
  });
  return `${overage} above the balance, ${spendLimitOverage} above spend limits`;
}
