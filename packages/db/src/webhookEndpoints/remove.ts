import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Deletes an endpoint and drops what waits for it; false when the organization has none of that id. */
export async function removeWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await runStatement(db.pool, 'remove_webhook_endpoint', statement, [id, organizationId]);
  return rows.length > 0;
}

const statement = `WITH removed AS (
    UPDATE webhook_endpoints SET deleted_at = now(), is_active = false
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
    RETURNING id
  ), dropped AS (
    UPDATE deliveries d SET state = 'failed', finished_at = now(), next_attempt_at = NULL
    FROM removed WHERE d.lane = removed.id AND d.state = 'pending'
  )
  SELECT id FROM removed`;
