import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Ends deliveries nobody holds that are past their time (`expired`), or whose last attempt was cut off before it was
 * recorded (`failed`). Ends and returns at most `limit`.
 */
export async function endOverdueDeliveries(
  db: Database,
  args: { maxAttempts: number; limit: number },
): Promise<{ id: string; state: 'expired' | 'failed' }[]> {
  return await runStatement(db.pool, 'end_overdue_deliveries', statement, [args.maxAttempts, args.limit]);
}

const statement = `
WITH overdue AS (
  SELECT id FROM deliveries
  WHERE state = 'pending' AND (expires_at <= now() OR attempts >= $1::int)
    AND (lease_until IS NULL OR lease_until <= now())
  ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE deliveries d SET state = CASE WHEN d.attempts >= $1::int THEN 'failed' ELSE 'expired' END,
  finished_at = now(), next_attempt_at = NULL, lease_until = NULL
FROM overdue WHERE d.id = overdue.id RETURNING d.id, d.state`;
