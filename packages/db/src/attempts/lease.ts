import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export async function extendLeases(db: Database, attemptIds: string[], leaseS: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'extend_leases', extend, [attemptIds, leaseS]);
  return rows.map(({ id }) => id);
}

export async function releaseLeases(db: Database, attemptIds: string[]): Promise<void> {
  await runStatement(db.pool, 'release_leases', release, [attemptIds]);
}

export async function markStopped(db: Database, attemptIds: string[]): Promise<void> {
  await runStatement(db.pool, 'mark_stopped', stop, [attemptIds]);
}

// In order of id, as everywhere, against deadlocks; `ANY` repeats the ids to keep the planner on the index.
const held = `
WITH held AS (
  SELECT id FROM attempts WHERE id = ANY ($1::text[]) AND finished_at IS NULL ORDER BY id FOR UPDATE
)`;

// A run already handed over to polling has no lease: one would delay its callback and its polls.
const extend = `${held}
UPDATE attempts a SET lease_until = CASE WHEN a.lease_until IS NOT NULL THEN now() + $2::int * interval '1 second' END FROM held h, executions e
WHERE a.id = h.id AND a.id = ANY ($1::text[]) AND a.finished_at IS NULL AND e.id = a.execution_id AND e.completed_at IS NULL
RETURNING a.id`;

const release = `${held}
UPDATE attempts a SET lease_until = now(), poll_at = CASE WHEN a.state = 'running' THEN now() END
FROM held h WHERE a.id = h.id AND a.id = ANY ($1::text[]) AND a.finished_at IS NULL`;

const stop = `${held}
UPDATE attempts a SET state = 'cancelled', finished_at = now(), lease_until = NULL, poll_at = NULL,
  handle = CASE WHEN a.settled_at IS NULL THEN a.handle END
FROM held h WHERE a.id = h.id AND a.id = ANY ($1::text[]) AND a.finished_at IS NULL`;

export async function pollNow(db: Database, token: string): Promise<boolean> {
  return (await runStatement(db.pool, 'ask_now', statement, [token])).length > 0;
}

const statement = `
UPDATE attempts SET poll_at = now() WHERE token = $1 AND state = 'running' AND finished_at IS NULL RETURNING id`;
