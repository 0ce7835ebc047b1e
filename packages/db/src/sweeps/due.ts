import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** At most so many hints a turn; the next turn brings the rest. */
const page = 2000;

/** An execution that waits: its id, organization, model, and the rank of its priority. */
export type PendingRow = [id: string, organizationId: string, model: string, rank: number];

/**
 * Pending executions whose `dispatch` job may be lost: the first ones of every organization, so that a hundred thousand
 * of one hide nobody's only one.
 */
export async function stalePending(
  db: Database,
  olderThanS: number,
  mostOfEach: number,
): Promise<PendingRow[]> {
  type Row = { id: string; organization_id: string; model: string; priority: number };
  const rows = await runStatement<Row>(db.pool, 'stale_pending', pending, [olderThanS, mostOfEach]);
  return rows.map((row) => [row.id, row.organization_id, row.model, row.priority]);
}

/** Attempts whose dispatcher has let the lease run out before the provider's answer was recorded. */
export async function abandonedAttempts(db: Database): Promise<string[]> {
  return await ids(db, 'abandoned_attempts', abandoned, [page]);
}

/** A further try whose time has come: its attempt, and what `stalePending` says of its execution. */
export type WaitingTry = [attemptId: string, ...PendingRow, connection: string, target: string];

/** Tries that follow a refusal, and are due. */
export async function waitingTries(db: Database): Promise<WaitingTry[]> {
  type Row = Record<'id' | 'execution_id' | 'organization_id' | 'model' | 'provider' | 'target', string> & {
    priority: number;
  };
  const rows = await runStatement<Row>(db.pool, 'waiting_tries', waiting, [page]);
  return rows.map((row) => [
    row.id,
    row.execution_id,
    row.organization_id,
    row.model,
    row.priority,
    row.provider,
    row.target,
  ]);
}

/** A run under way, and whose limits it counts against. */
export type OpenRun = { executionId: string; organizationId: string; model: string; connection: string };

/** Everything that providers are at, or are about to be asked for. */
export async function openRuns(db: Database): Promise<OpenRun[]> {
  return await runStatement<OpenRun>(db.pool, 'open_runs', open, []);
}

/** Running attempts whose provider is to be asked, and that nobody is asking: a question may wait for the answer. */
export async function attemptsToPoll(db: Database): Promise<string[]> {
  return await ids(db, 'attempts_to_poll', toPoll, [page]);
}

/** Callbacks in the inbox whose job may be lost. */
export async function staleCallbacks(db: Database, olderThanS: number): Promise<string[]> {
  return await ids(db, 'stale_callbacks', callbacks, [olderThanS, page]);
}

/** Attempts whose outcome waits for the ledger, and whether it is a success. */
export async function unsettledAttempts(
  db: Database,
  olderThanS: number,
): Promise<{ attemptId: string; ok: boolean }[]> {
  return await runStatement(db.pool, 'unsettled_attempts', unsettled, [olderThanS, page]);
}

async function ids(db: Database, name: string, text: string, values: unknown[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, name, text, values);
  return rows.map(({ id }) => id);
}

const pending = `
WITH RECURSIVE waiting AS (
  SELECT min(organization_id) AS organization_id FROM executions WHERE status = 'PENDING'
  UNION ALL
  SELECT (SELECT min(e.organization_id) FROM executions e
    WHERE e.status = 'PENDING' AND e.organization_id > w.organization_id)
  FROM waiting w WHERE w.organization_id IS NOT NULL
)
SELECT e.id, e.organization_id, e.model, e.priority FROM waiting w CROSS JOIN LATERAL (
  SELECT id, organization_id, model, priority FROM executions
  WHERE status = 'PENDING' AND organization_id = w.organization_id
    AND created_at < now() - $1::int * interval '1 second'
  ORDER BY priority, created_at LIMIT $2
) e`;

const abandoned = `
SELECT id FROM attempts WHERE finished_at IS NULL AND state = 'starting' AND lease_until < now()
ORDER BY lease_until LIMIT $1`;

const waiting = `
SELECT a.id, a.execution_id, e.organization_id, e.model, e.priority, a.provider, a.target
FROM attempts a JOIN executions e ON e.id = a.execution_id
WHERE a.finished_at IS NULL AND a.state = 'waiting' AND a.poll_at <= now() ORDER BY a.poll_at LIMIT $1`;

const open = `
SELECT a.execution_id AS "executionId", e.organization_id AS "organizationId", e.model, a.provider AS connection
FROM attempts a JOIN executions e ON e.id = a.execution_id
WHERE a.finished_at IS NULL AND a.state <> 'waiting'`;

const toPoll = `
SELECT id FROM attempts WHERE finished_at IS NULL AND state = 'running' AND poll_at <= now()
  AND (lease_until IS NULL OR lease_until < now())
ORDER BY poll_at LIMIT $1`;

const callbacks = `
SELECT id FROM provider_callbacks WHERE processed_at IS NULL AND received_at < now() - $1::int * interval '1 second'
ORDER BY received_at LIMIT $2`;

const unsettled = `
SELECT id AS "attemptId", (outcome ->> 'ok')::boolean AS ok FROM attempts
WHERE outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused' AND finished_at < now() - $1::int * interval '1 second'
ORDER BY finished_at LIMIT $2`;
