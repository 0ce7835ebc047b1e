import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Extends the leases of runs in hand; answers those that go on. The others were ended by somebody else. */
export async function extendLeases(db: Database, attemptIds: string[], leaseS: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'extend_leases', extend, [attemptIds, leaseS]);
  return rows.map(({ id }) => id);
}

/** Hands runs back: any dispatcher may take them over at once. */
export async function releaseLeases(db: Database, attemptIds: string[]): Promise<void> {
  await runStatement(db.pool, 'release_leases', release, [attemptIds]);
}

/** The provider was told to stop; what it still sends is dropped. */
export async function markStopped(db: Database, attemptIds: string[]): Promise<void> {
  await runStatement(db.pool, 'mark_stopped', stop, [attemptIds]);
}

// Locked in order of id, as every statement over attempts does, so that none of them deadlocks with another. The ids are
// named again (`ANY`) where a planner that knows the table as small would read all of it.
const held = `
WITH held AS (
  SELECT id FROM attempts WHERE id = ANY ($1::text[]) AND finished_at IS NULL ORDER BY id FOR UPDATE
)`;

// A run that has just gone on at its provider is nobody's: a lease would keep its callback and its polls waiting.
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

/** Makes a running attempt due to be asked about. False: it isn't running yet, or not any more. */
export async function pollNow(db: Database, token: string): Promise<boolean> {
  return (await runStatement(db.pool, 'ask_now', statement, [token])).length > 0;
}

const statement = `
UPDATE attempts SET poll_at = now() WHERE token = $1 AND state = 'running' AND finished_at IS NULL RETURNING id`;
