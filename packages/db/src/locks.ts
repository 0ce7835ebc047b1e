import type { Database } from './client.ts';
import { firstId, runStatement, sameIdSql } from './statement.ts';

/**
 * A statement of several organizations waits at most this long for a row that another session holds, then fails:
 * kit/isolatedBatcher.ts then repeats it without the organization, found by the queries here. They lock for an instant
 * what they find free.
 */
export const maxLockWaitMs = 250;

/** Those of which the balance or a spend limit is locked now. */
export async function lockedOrganizations(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const unique = [...new Set(ids)];
  return await idsOf(db, 'locked_organizations', lockedOrganizationsSql, [unique]);
}

const lockedSql = (ids: string) => `
free_balance AS MATERIALIZED (
  SELECT organization_id FROM balances WHERE organization_id = ANY (${ids}) FOR UPDATE SKIP LOCKED
),
free_limit AS MATERIALIZED (
  SELECT scope_id FROM spend_limits WHERE organization_id = ANY (${ids}) FOR UPDATE SKIP LOCKED
),
locked AS (
  SELECT organization_id AS id FROM balances
  WHERE organization_id = ANY (${ids}) AND organization_id <> ALL (ARRAY (SELECT organization_id FROM free_balance))
  UNION
  SELECT organization_id FROM spend_limits
  WHERE organization_id = ANY (${ids}) AND scope_id <> ALL (ARRAY (SELECT scope_id FROM free_limit))
)`;

const lockedOrganizationsSql = `WITH ${lockedSql('$1::text[]')} SELECT id FROM locked`;

export type AttemptOwner = { organizationId: string; isLocked: boolean };

/** The organizations of attempts, by attempt, and whether what their settlement changes is locked now. */
export async function settlementOwners(
  db: Database,
  attemptIds: string[],
): Promise<Map<string, AttemptOwner>> {
  type Row = AttemptOwner & { attemptId: string };
  const values = [attemptIds, firstId('exec', attemptIds)];
  const rows = await runStatement<Row>(db.pool, 'settlement_owners', settlementOwnersSql, values);
  return new Map(rows.map(({ attemptId, ...owner }) => [attemptId, owner]));
}

/** Those of these attempts that are locked now, or whose execution is. */
export async function lockedAttempts(db: Database, ids: string[]): Promise<Set<string>> {
  return await idsOf(db, 'locked_attempts', lockedAttemptsSql, [ids, firstId('exec', ids)]);
}

export async function lockedStreams(db: Database, ids: string[]): Promise<Set<string>> {
  return await idsOf(db, 'locked_streams', lockedStreamsSql, [ids, firstId('exec', ids)]);
}

const lockedStreamsSql = `
SELECT t.id FROM unnest($1::text[]) AS t (id) LEFT JOIN LATERAL (
  SELECT execution_id FROM streams WHERE execution_id = t.id AND execution_id >= $2 FOR UPDATE SKIP LOCKED
) s ON true WHERE s.execution_id IS NULL`;

const ownedSql = `
owned AS MATERIALIZED (
  SELECT t.id AS "attemptId", e.organization_id AS "organizationId",
    free_attempt.id IS NULL OR free_execution.id IS NULL AS "isLocked"
  FROM unnest($1::text[]) AS t (id)
  CROSS JOIN LATERAL (SELECT id, execution_id FROM attempts WHERE ${sameIdSql('t.id')}) a
  CROSS JOIN LATERAL (SELECT id, organization_id FROM executions WHERE id >= $2 AND ${sameIdSql('a.execution_id')}) e
  LEFT JOIN LATERAL (
    SELECT id FROM attempts WHERE ${sameIdSql('a.id')} FOR UPDATE SKIP LOCKED
  ) free_attempt ON true
  LEFT JOIN LATERAL (
    SELECT id FROM executions WHERE id >= $2 AND ${sameIdSql('e.id')} FOR UPDATE SKIP LOCKED
  ) free_execution ON true
)`;

const lockedAttemptsSql = `WITH ${ownedSql} SELECT "attemptId" AS id FROM owned WHERE "isLocked"`;

const settlementOwnersSql = `
WITH ${ownedSql}, ${lockedSql('ARRAY (SELECT DISTINCT "organizationId" FROM owned)')}
SELECT o."attemptId", o."organizationId",
  o."isLocked" OR o."organizationId" = ANY (ARRAY (SELECT id FROM locked)) AS "isLocked" FROM owned o`;

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
