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

/** Outputs of an execution that ended otherwise than COMPLETED are nobody's result: none of them stays for good. */
export async function dropOutputsOfEnded(db: Database, executionId: string): Promise<void> {
  await runStatement(db.pool, 'drop_outputs_of_ended', dropAll, [executionId]);
}

// Not now(): an erasure that came first and began later would be undone.
const keep = `UPDATE files SET expires_at = NULL
  WHERE id = ANY ($1::text[]) AND origin = 'output' AND expires_at > clock_timestamp()`;

// The column rounds to milliseconds: what is rounded up would not be over yet.
const drop = `UPDATE files SET expires_at = least(expires_at, date_trunc('milliseconds', now()))
  WHERE id = ANY ($1::text[]) AND origin = 'output' AND state <> 'deleted'`;

const dropAll = `UPDATE files f SET expires_at = date_trunc('milliseconds', now()) FROM executions e
  WHERE f.execution_id = $1 AND f.origin = 'output' AND f.state <> 'deleted' AND f.expires_at IS NULL
    AND e.id = f.execution_id AND e.status IN ('FAILED', 'CANCELLED', 'EXPIRED')`;
