import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { shownColumnsSql, type WebhookEndpointRow } from './row.ts';

/** Newest first; those older than `cursor` (the id of an endpoint) if given. */
export async function listWebhookEndpoints(
  db: Database,
  args: { organizationId: string; limit: number; cursor?: string | undefined },
): Promise<WebhookEndpointRow[]> {
  const values = [args.organizationId, args.limit, args.cursor ?? null];
  return await runStatement<WebhookEndpointRow>(db.pool, 'list_webhook_endpoints', statement, values);
}

// An organization has few: they are all read by its index.
const statement = `SELECT ${shownColumnsSql} FROM webhook_endpoints
  WHERE organization_id = $1 AND deleted_at IS NULL AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $2`;
