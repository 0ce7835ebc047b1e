import {
  getOrganization,
  getOverage,
  type OrganizationRow,
  type OverageOfOrganization,
} from '@holdfast/db/organizations';
import { getSpendLimits, type SpendLimit } from '@holdfast/db/spendLimits';
import { overagePolicies } from '@holdfast/domain/ledger';
import { z } from 'zod';
import { operatorFor } from '../access/callers.ts';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { idField, notFound, requireId, timestamp } from '../http/fields.ts';
import { spendLimitField, spendLimitRecord } from '../money/spendLimits.ts';

const maxConcurrency = 1_000_000;

export const organizationName = z.string().trim().min(1).max(200);

export const maxConcurrencyField = z
  .int()
  .min(1)
  .max(maxConcurrency)
  .nullable()
  .describe('Maximum number of executions that run at once; null: the setting ORGANIZATION_MAX_CONCURRENCY');

export const overageField = z
  .enum(overagePolicies)
  .nullable()
  .describe(
    'When a cost is above the hold: `charge` it in full, or `cap` it at the available balance; null: the setting OVERAGE',
  );

export const spendLimitOverageField = z
  .enum(overagePolicies)
  .nullable()
  .describe(
    'When a cost exceeds a spend limit: `charge` it in full, or `cap` it at what remains of the limit; null: the setting SPEND_LIMIT_OVERAGE',
  );

export const OrganizationRecord = z
  .object({
    id: idField('org'),
    name: z.string(),
    created_at: timestamp('When it was created'),
    max_concurrency: maxConcurrencyField,
    spend_limit: spendLimitField,
    overage: overageField,
    spend_limit_overage: spendLimitOverageField,
    in_force: z
      .object({ overage: z.enum(overagePolicies), spend_limit_overage: z.enum(overagePolicies) })
      .nullable()
      .describe("The policies that apply: the organization's own, or the defaults of the platform"),
    test_of: idField('org', 'The organization that this test organization belongs to').nullable(),
  })
  .meta({ id: 'Organization' });

/** @throws ApiError NOT_FOUND */
export async function findOrganization(context: Context, id: string): Promise<OrganizationRow> {
  const organization = await getOrganization(context.db, requireId('org', id, 'organization'));
  if (!organization) throw notFound('organization');
  return organization;
}

/** An operator who acts for an organization. @throws ApiError NOT_FOUND */
export async function callerFor(context: Context, organizationId: string): Promise<Caller> {
  const { id, testOf } = await findOrganization(context, organizationId);
  return operatorFor({ organizationId: id, isTest: testOf !== null });
}

export async function organizationRecords({ db }: Context, rows: OrganizationRow[]) {
  const ids = rows.map(({ id }) => id);
  const [limits, overages] = await Promise.all([getSpendLimits(db, ids), getOverage(db, ids)]);
  return rows.map((row) => organizationRecord(row, limits.get(row.id), overages.get(row.id)));
}

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
