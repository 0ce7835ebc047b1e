import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { owedLanesSql } from './owedLanes.ts';

/**
 * Ends deliveries that nobody attempts any more, such as those of an inactive endpoint: at most `limit` that were due a
 * day ago, for none lives longer. What is attempted ends by its claim. Answers how many.
 */
export async function endOverdueDeliveries(db: Database, limit: number): Promise<number> {
  const rows = await runStatement(db.pool, 'end_overdue_deliveries', statement, [
    limits.webhookExpiryMs,
    limit,
  ]);
  return rows.length;
}

const statement = `
WITH ${owedLanesSql},
overdue AS MATERIALIZED (
  SELECT due.id FROM owed CROSS JOIN LATERAL (
    SELECT id FROM deliveries
    WHERE lane = owed.lane AND state = 'pending' AND expires_at <= now()
      AND next_attempt_at <= now() - $1::float8 * interval '1 millisecond'
      AND (lease_until IS NULL OR lease_until <= now())
    ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) due LIMIT $2
)
UPDATE deliveries d SET state = 'expired', finished_at = now(), next_attempt_at = NULL, lease_until = NULL
FROM overdue WHERE d.id = overdue.id RETURNING d.id`;
