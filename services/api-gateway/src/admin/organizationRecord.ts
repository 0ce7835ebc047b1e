import type { OrganizationRow } from '@holdfast/db/organizations/create';
import { getSpendLimits, type SpendLimit } from '@holdfast/db/spendLimits/get';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { idField, timestamp } from '../http/fields.ts';
import { spendLimitField, spendLimitRecord } from '../spendLimits/spendLimitRecord.ts';
import { maxConcurrencyField } from './organizationFields.ts';

export const OrganizationRecord = z
  .object({
    id: idField('org'),
    name: z.string(),
    created_at: timestamp('When it was made'),
    max_concurrency: maxConcurrencyField,
    spend_limit: spendLimitField,
    test_of: idField('org', 'It is where the test keys of that organization lead').nullable(),
  })
  .meta({ id: 'Organization' });

export function organizationRecord(
  row: OrganizationRow,
  limit?: SpendLimit,
): z.infer<typeof OrganizationRecord> {
  return {
    id: row.id,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    max_concurrency: row.maxConcurrency,
    spend_limit: spendLimitRecord(limit),
    test_of: row.testOf,
  };
}

/** With their limits, which are read at once. */
export async function organizationRecords({ db }: Context, rows: OrganizationRow[]) {
  const limits = await getSpendLimits(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => organizationRecord(row, limits.get(row.id)));
}
