import type { OrganizationRow } from '@holdfast/db/organizations';
import { getOverage, type OverageOfOrganization } from '@holdfast/db/overage';
import { getSpendLimits, type SpendLimit } from '@holdfast/db/spendLimits';
import { overagePolicies } from '@holdfast/domain/overage';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { idField, timestamp } from '../http/fields.ts';
import { spendLimitField, spendLimitRecord } from '../spendLimits/spendLimitRecord.ts';
import { maxConcurrencyField, overageField, spendLimitOverageField } from './organizationFields.ts';

export const OrganizationRecord = z
  .object({
    id: idField('org'),
    name: z.string(),
    created_at: timestamp('When it was made'),
    max_concurrency: maxConcurrencyField,
    spend_limit: spendLimitField,
    overage: overageField,
    spend_limit_overage: spendLimitOverageField,
    in_force: z
      .object({ overage: z.enum(overagePolicies), spend_limit_overage: z.enum(overagePolicies) })
      .nullable()
      .describe('The policies that apply: its own, or those of the platform'),
    test_of: idField('org', 'It is where the test keys of that organization lead').nullable(),
  })
  .meta({ id: 'Organization' });

function organizationRecord(
  row: OrganizationRow,
  limit: SpendLimit | undefined,
  overage: OverageOfOrganization | undefined,
): z.infer<typeof OrganizationRecord> {
  return {
    id: row.id,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    max_concurrency: row.maxConcurrency,
    spend_limit: spendLimitRecord(limit),
    overage: overage?.own.overage ?? null,
    spend_limit_overage: overage?.own.spendLimitOverage ?? null,
    in_force: overage
      ? { overage: overage.inForce.overage, spend_limit_overage: overage.inForce.spendLimitOverage }
      : null,
    test_of: row.testOf,
  };
}

/** With their limits and policies, which are read for all of them at once. */
export async function organizationRecords({ db }: Context, rows: OrganizationRow[]) {
  const ids = rows.map(({ id }) => id);
  const [limits, overages] = await Promise.all([getSpendLimits(db, ids), getOverage(db, ids)]);
  return rows.map((row) => organizationRecord(row, limits.get(row.id), overages.get(row.id)));
}
