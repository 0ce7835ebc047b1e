import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Deletes an endpoint with its secrets and drops what waits for it; false when the organization has none of that id. */
export async function removeWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await runStatement(db.pool, 'remove_webhook_endpoint', statement, [id, organizationId]);
  return rows.length > 0;
}

// Deliveries are locked in order of id, as every statement over them does.
const statement = `WITH removed AS (
    UPDATE webhook_endpoints SET deleted_at = now(), is_active = false, headers = NULL, secret = '',
      previous_secret = NULL, previous_secret_until = NULL
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
    RETURNING id
  ), waiting AS MATERIALIZED (
    SELECT d.id FROM deliveries d JOIN removed ON d.lane = removed.id WHERE d.state = 'pending'
    ORDER BY d.id FOR UPDATE OF d
  ), dropped AS (
    UPDATE deliveries d SET state = 'failed', finished_at = now(), next_attempt_at = NULL
    WHERE d.id = ANY (ARRAY (SELECT id FROM waiting))
  )
  SELECT id FROM removed`;
