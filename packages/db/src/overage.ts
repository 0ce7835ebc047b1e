import type { OveragePolicies } from '@holdfast/domain/overage';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export type OverageOfOrganization = {
  own: { [Policy in keyof OveragePolicies]: OveragePolicies[Policy] | null };
  inForce: OveragePolicies;
};

export async function getOverage(
  db: Database,
  organizationIds: string[],
): Promise<Map<string, OverageOfOrganization>> {
  if (organizationIds.length === 0) return new Map();
  type Row = OverageOfOrganization & { organizationId: string };
  const rows = await runStatement<Row>(db.pool, 'get_overage', ofOrganizations, [organizationIds]);
  return new Map(rows.map(({ organizationId, ...overage }) => [organizationId, overage]));
}

const ofOrganizations = `
SELECT b.organization_id AS "organizationId",
  json_build_object('overage', b.overage, 'spendLimitOverage', b.spend_limit_overage) AS own,
  json_build_object('overage', coalesce(b.overage, s.overage, 'charge'),
    'spendLimitOverage', coalesce(b.spend_limit_overage, s.spend_limit_overage, 'charge')) AS "inForce"
FROM balances b LEFT JOIN ledger_settings s ON s.id = 1 WHERE b.organization_id = ANY ($1::text[])`;

/** Sets and returns the platform's policies; undefined fields stay. For the owner of the tables. */
export async function setPlatformOverage(
  db: Database,
  change: { [Policy in keyof OveragePolicies]: OveragePolicies[Policy] | undefined },
): Promise<OveragePolicies> {
  const values = [change.overage ?? null, change.spendLimitOverage ?? null];
  const [row] = await runStatement<OveragePolicies>(db.pool, 'set_platform_overage', ofPlatform, values);
  if (!row) throw new Error('the table ledger_settings has no row');
  return row;
}

const ofPlatform = `
UPDATE ledger_settings SET overage = coalesce($1, overage), spend_limit_overage = coalesce($2, spend_limit_overage)
WHERE id = 1 RETURNING overage, spend_limit_overage AS "spendLimitOverage"`;
