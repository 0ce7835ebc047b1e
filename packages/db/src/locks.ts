import type { Database } from './client.ts';
import { firstId, runStatement, sameIdSql } from './statement.ts';

/**
 * A statement of several organizations waits so long for a row that another session holds, and fails: kit/isolatedBatcher.ts
 * then repeats it without the organization, found by the queries here. They lock for an instant what they find free.
 */
export const maxLockWaitMs = 250;

/** Those of which the balance or a spend limit is locked now. */
export async function lockedOrganizations(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const unique = [...new Set(ids)];
  return await idsOf(db, 'locked_organizations', lockedOrganizationsSql, [unique]);
}

const lockedOrganizationsSql = `
WITH free_balance AS MATERIALIZED (
  SELECT organization_id FROM balances WHERE organization_id = ANY ($1::text[]) FOR UPDATE SKIP LOCKED
),
free_limit AS MATERIALIZED (
  SELECT scope_id FROM spend_limits WHERE organization_id = ANY ($1::text[]) FOR UPDATE SKIP LOCKED
)
SELECT organization_id AS id FROM balances
WHERE organization_id = ANY ($1::text[]) AND organization_id <> ALL (ARRAY (SELECT organization_id FROM free_balance))
UNION
SELECT organization_id FROM spend_limits
WHERE organization_id = ANY ($1::text[]) AND scope_id <> ALL (ARRAY (SELECT scope_id FROM free_limit))`;

export type AttemptOwner = { organizationId: string; isLocked: boolean };

/** The organizations of attempts, by attempt, and whether the execution, the balance or a spend limit is locked now. */
export async function attemptOwners(db: Database, attemptIds: string[]): Promise<Map<string, AttemptOwner>> {
  type Row = AttemptOwner & { attemptId: string };
  const values = [attemptIds, firstId('exec', attemptIds)];
  const rows = await runStatement<Row>(db.pool, 'attempt_owners', attemptOwnersSql, values);
  const locked = await lockedOrganizations(
    db,
    rows.map(({ organizationId }) => organizationId),
  );
  return new Map(
    rows.map(({ attemptId, organizationId, isLocked }) => [
      attemptId,
      { organizationId, isLocked: isLocked || locked.has(organizationId) },
    ]),
  );
}

const attemptOwnersSql = `
SELECT t.id AS "attemptId", e.organization_id AS "organizationId", free.id IS NULL AS "isLocked"
FROM unnest($1::text[]) AS t (id)
CROSS JOIN LATERAL (SELECT execution_id FROM attempts WHERE ${sameIdSql('t.id')}) a
CROSS JOIN LATERAL (SELECT id, organization_id FROM executions WHERE id >= $2 AND ${sameIdSql('a.execution_id')}) e
LEFT JOIN LATERAL (
  SELECT id FROM executions WHERE id >= $2 AND ${sameIdSql('e.id')} FOR UPDATE SKIP LOCKED
) free ON true`;

/** Those of these endpoints and deliveries that are locked now, by id. */
export async function lockedReceivers(
  db: Database,
  { endpointIds, deliveryIds }: { endpointIds: string[]; deliveryIds: string[] },
): Promise<Set<string>> {
  const values = [endpointIds, deliveryIds, firstId('dlv', deliveryIds)];
  return await idsOf(db, 'locked_receivers', lockedReceiversSql, values);
}

const lockedReceiversSql = `
WITH free_endpoint AS MATERIALIZED (
  SELECT id FROM webhook_endpoints WHERE id = ANY ($1::text[]) FOR UPDATE SKIP LOCKED
),
free_delivery AS MATERIALIZED (
  SELECT id FROM deliveries WHERE id = ANY ($2::text[]) AND id >= $3 FOR UPDATE SKIP LOCKED
)
SELECT id FROM webhook_endpoints
WHERE id = ANY ($1::text[]) AND id <> ALL (ARRAY (SELECT id FROM free_endpoint))
UNION ALL
SELECT id FROM deliveries
WHERE id = ANY ($2::text[]) AND id >= $3 AND id <> ALL (ARRAY (SELECT id FROM free_delivery))`;

async function idsOf(db: Database, name: string, text: string, values: unknown[]): Promise<Set<string>> {
  const rows = await runStatement<{ id: string }>(db.pool, name, text, values);
  return new Set(rows.map(({ id }) => id));
}
