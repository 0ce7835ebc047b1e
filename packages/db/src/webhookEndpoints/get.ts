import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { shownColumnsSql, type WebhookEndpointRow } from './row.ts';

/** Null when the organization has none of that id, or it is deleted. */
export async function getWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | null> {
  const values = [id, organizationId];
  const [row] = await runStatement<WebhookEndpointRow>(db.pool, 'get_webhook_endpoint', statement, values);
  return row ?? null;
}

const statement = `SELECT ${shownColumnsSql} FROM webhook_endpoints
  WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL`;
