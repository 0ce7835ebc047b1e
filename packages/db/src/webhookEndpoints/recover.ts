import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Makes every delivery of an endpoint that has failed or expired since then due again, each for another 24 hours and
 * with all its attempts, except those whose execution was erased. Answers their ids.
 */
export async function recoverDeliveries(db: Database, endpointId: string, since: Date): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'recover_deliveries', statement, [
    endpointId,
    since,
    limits.webhookExpiryMs,
  ]);
  return rows.map(({ id }) => id);
}

// What was erased can't be sent again; locked, for it might be erased now.
const statement = `WITH due AS (
    SELECT d.id FROM deliveries d JOIN events v ON v.id = d.event_id
    WHERE d.endpoint_id = $1 AND d.state IN ('failed', 'expired') AND d.created_at >= $2 AND v.body IS NOT NULL
    ORDER BY v.id FOR SHARE OF v
  )
  UPDATE deliveries d SET state = 'pending', finished_at = NULL, next_attempt_at = now(), attempts = 0,
    expires_at = now() + $3 * interval '1 millisecond', lease_until = NULL
  FROM due WHERE d.id = due.id AND d.endpoint_id = $1 AND d.state IN ('failed', 'expired')
  RETURNING d.id`;
