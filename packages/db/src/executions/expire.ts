import { transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type Ended, endingStatement } from './ending.ts';
import { quoted } from './statusList.ts';

/**
 * -> EXPIRED for at most `limit` executions whose `expires_at` has passed, holds released. A result that was recorded
 * in time and waits to be settled is not expired: it is settled. With `id` it is that one alone.
 */
export async function expireExecutions(
  db: Database,
  limit: number,
  id: string | null = null,
): Promise<Ended[]> {
  return await runStatement<Ended>(db.pool, 'expire_executions', statement, [limit, id]);
}

/** Those whose time has passed, the first `limit` of them. */
export async function overdueExecutions(db: Database, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'overdue_executions', overdue, [limit]);
  return rows.map(({ id }) => id);
}

const overdue = `SELECT id FROM executions WHERE status IN (${quoted(transitions.expire.from)}) AND expires_at <= now()
ORDER BY expires_at LIMIT $1`;

// In the order of the index of what is open: in order of id, everything that ever ended would be read. What is locked
// is skipped, not waited for, so that the order can't lead to a deadlock.
const statement = endingStatement({
  transition: 'expire',
  asked: `
  SELECT e.id, e.status FROM executions e
  WHERE e.status IN (${quoted(transitions.expire.from)}) AND e.expires_at <= now()
    AND ($2::text IS NULL OR e.id = $2) AND NOT EXISTS (
    SELECT FROM attempts a WHERE a.execution_id = e.id AND a.settled_at IS NULL AND a.state <> 'refused'
      AND a.finished_at <= e.expires_at
      AND a.outcome IS NOT NULL)
  ORDER BY e.expires_at LIMIT $1 FOR UPDATE OF e SKIP LOCKED`,
  among: 'true',
  set: `error_code = 'GENERATION_TIMEOUT', error_message = 'The execution timed out before a result was received.'`,
});
