import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** These outputs stay for good, as their execution's result does; what was erased in the meantime does not. */
export async function keepOutputs(db: Database, ids: string[]): Promise<void> {
  if (ids.length > 0) await runStatement(db.pool, 'keep_outputs', keep, [ids]);
}

/** These outputs are nobody's result: they are removed at the next occasion. */
export async function dropOutputs(db: Database, ids: string[]): Promise<void> {
  if (ids.length > 0) await runStatement(db.pool, 'drop_outputs', drop, [ids]);
}

// Not now(): an erasure that came first and began later would be undone.
const keep = `UPDATE files SET expires_at = NULL
  WHERE id = ANY ($1::text[]) AND origin = 'output' AND expires_at > clock_timestamp()`;

// The column rounds to milliseconds: what is rounded up would not be over yet.
const drop = `UPDATE files SET expires_at = least(expires_at, date_trunc('milliseconds', now()))
  WHERE id = ANY ($1::text[]) AND origin = 'output' AND state <> 'deleted'`;
