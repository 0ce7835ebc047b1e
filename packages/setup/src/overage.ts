import type { Database } from '@holdfast/db/client';
import { setPlatformOverage } from '@holdfast/db/organizations';
import { overagePolicies } from '@holdfast/domain/ledger';
import { parseConfig } from '@holdfast/kit/config';
import { z } from 'zod';

/** The policies of the platform, which the database keeps: so all copies of all services agree. */
export const overageConfig = {
  OVERAGE: z
    .enum(overagePolicies)
    .optional()
    .describe(
      'A cost above the hold: charge in full, or cap at what is available (docs/money.md). Unset: as it is in the database, charge at first',
    ),
  SPEND_LIMIT_OVERAGE: z
    .enum(overagePolicies)
    .optional()
    .describe(
      'A cost that passes a spend limit: charge in full, or cap at what the limit leaves. Unset: as it is in the database, cap at first; charge where organizations were there before this setting',
    ),
};

/** Writes the policies that `environment` sets; answers all of them. @throws ConfigError for one that is unknown */
export async function applyOverage(db: Database, environment: NodeJS.ProcessEnv): Promise<string> {
  const set = parseConfig(overageConfig, environment);
  const { overage, spendLimitOverage } = await setPlatformOverage(db, {
    overage: set.OVERAGE,
    spendLimitOverage: set.SPEND_LIMIT_OVERAGE,
  });
  return `${overage} above the balance, ${spendLimitOverage} above spend limits`;
}
