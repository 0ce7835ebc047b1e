import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';
import { shownColumnsSql, type WebhookEndpointRow } from './row.ts';

export type NewWebhookEndpoint = {
  id: string;
  organizationId: string;
  url: string;
  description: string;
  events: string[];
  /** Sealed JSON. */
  headers: string | null;
  /** Sealed. */
  secret: string;
};

/** Null when the organization already has `maximum` endpoints, under race too. */
export async function insertWebhookEndpoint(
  db: Database,
  endpoint: NewWebhookEndpoint,
  maximum: number,
): Promise<WebhookEndpointRow | null> {
  const { id, organizationId, url, description, events, headers, secret } = endpoint;
  return inTransaction(db, async (client) => {
    await runStatement(client, 'lock_organization_endpoints', lock, [organizationId]);
    const values = [id, organizationId, url, description, events, headers, secret, maximum];
    const [row] = await runStatement<WebhookEndpointRow>(client, 'insert_webhook_endpoint', insert, values);
    return row ?? null;
  });
}

const lock = 'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE';

const insert = `INSERT INTO webhook_endpoints (id, organization_id, url, description, events, headers, secret)
  SELECT $1, $2, $3, $4, $5, $6, $7
  WHERE (SELECT count(*) FROM webhook_endpoints WHERE organization_id = $2 AND deleted_at IS NULL) < $8
  RETURNING ${shownColumnsSql}`;
