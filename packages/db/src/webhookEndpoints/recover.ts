import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Makes every delivery of an endpoint that has failed or expired since then due again, each for another 24 hours and
 * with all its attempts. Answers their ids.
 */
export async function recoverDeliveries(db: Database, endpointId: string, since: Date): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'recover_deliveries', statement, [
    endpointId,
    since,
    limits.webhookExpiryMs,
  ]);
  return rows.map(({ id }) => id);
}

const statement = `UPDATE deliveries SET state = 'pending', finished_at = NULL, next_attempt_at = now(), attempts = 0,
    expires_at = now() + $3 * interval '1 millisecond', lease_until = NULL
  WHERE endpoint_id = $1 AND state IN ('failed', 'expired') AND created_at >= $2
  RETURNING id`;
