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

const extend = `
UPDATE attempts a SET lease_until = now() + $2::int * interval '1 second' FROM executions e
WHERE a.id = ANY ($1::text[]) AND a.finished_at IS NULL AND e.id = a.execution_id AND e.completed_at IS NULL
RETURNING a.id`;

const release = `
UPDATE attempts SET lease_until = now(), poll_at = CASE WHEN state = 'running' THEN now() END
WHERE id = ANY ($1::text[]) AND finished_at IS NULL`;

const stop = `
UPDATE attempts SET state = 'cancelled', finished_at = now(), lease_until = NULL, poll_at = NULL
WHERE id = ANY ($1::text[]) AND finished_at IS NULL`;
