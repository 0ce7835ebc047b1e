import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Ids of deliveries that are due and that nobody holds: at most `limit` per receiver that is well, one of each
 * failing endpoint whose `probe_at` has come, none of an inactive one. New ones are left to their job for `graceS`.
 */
export async function listDueDeliveries(db: Database, graceS: number, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'due_deliveries', statement, [graceS, limit]);
  return rows.map(({ id }) => id);
}

const isDue = `d.state = 'pending' AND d.next_attempt_at <= now() AND d.expires_at > now()
      AND (d.lease_until IS NULL OR d.lease_until <= now())
      AND (d.attempts > 0 OR d.created_at <= now() - $1::float8 * interval '1 second')`;

// The endpoints that something waits for are found by leaping over the index, one probe each: what waits behind an
// endpoint, be it millions, is not read.
const statement = `
WITH RECURSIVE owed AS (
  (SELECT endpoint_id FROM deliveries WHERE state = 'pending' AND endpoint_id IS NOT NULL
   ORDER BY endpoint_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.endpoint_id FROM deliveries d WHERE d.state = 'pending' AND d.endpoint_id > o.endpoint_id
          ORDER BY d.endpoint_id LIMIT 1)
  FROM owed o WHERE o.endpoint_id IS NOT NULL
)
SELECT due.id FROM owed JOIN webhook_endpoints w ON w.id = owed.endpoint_id
CROSS JOIN LATERAL (
    SELECT d.id FROM deliveries d WHERE d.endpoint_id = w.id AND ${isDue}
    ORDER BY d.next_attempt_at LIMIT CASE WHEN w.failure_count = 0 THEN $2::int ELSE 1 END
) due
WHERE w.is_active AND w.deleted_at IS NULL
  AND (w.failure_count = 0 OR w.probe_at IS NULL OR w.probe_at <= now())
UNION ALL
(SELECT d.id FROM deliveries d WHERE d.endpoint_id IS NULL AND ${isDue} ORDER BY d.next_attempt_at LIMIT $2::int)`;
