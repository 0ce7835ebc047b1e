import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { shownColumnsSql, type WebhookEndpointRow } from './row.ts';

export type WebhookEndpointChanges = {
  events?: string[] | undefined;
  description?: string | undefined;
  isActive?: boolean | undefined;
};

/**
 * Changes what is given. Activation forgets past failures and makes all that waits for the endpoint due at once,
 * in the same statement. Null when the organization has none of that id.
 */
export async function updateWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
  changes: WebhookEndpointChanges,
): Promise<WebhookEndpointRow | null> {
  const { events, description, isActive } = changes;
  const values = [id, organizationId, events ?? null, description ?? null, isActive ?? null];
  const [row] = await runStatement<WebhookEndpointRow>(db.pool, 'update_webhook_endpoint', statement, values);
  return row ?? null;
}

const statement = `WITH updated AS (
    UPDATE webhook_endpoints SET
      events = coalesce($3, events),
      description = coalesce($4, description),
      is_active = coalesce($5, is_active),
      failure_count = CASE WHEN $5 THEN 0 ELSE failure_count END,
      probe_at = CASE WHEN $5 THEN NULL ELSE probe_at END
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
    RETURNING *
  ), due AS (
    UPDATE deliveries d SET next_attempt_at = now()
    FROM updated WHERE $5 AND d.endpoint_id = updated.id AND d.state = 'pending'
      AND (d.next_attempt_at IS NULL OR d.next_attempt_at > now())
  )
  SELECT ${shownColumnsSql} FROM updated`;
