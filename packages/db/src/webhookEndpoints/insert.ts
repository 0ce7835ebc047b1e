import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';
import { type Payload, shownColumnsSql, type WebhookEndpointRow } from './row.ts';

export type NewWebhookEndpoint = {
  id: string;
  organizationId: string;
  url: string;
  description: string;
  events: string[];
  models: string[];
  payload: Payload;
  maxInFlight: number;
  maxPerSecond: number | null;
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
  return inTransaction(db, async (client) => {
    await runStatement(client, 'lock_organization_endpoints', lock, [endpoint.organizationId]);
    const values = [maximum, ...columns.map(([property]) => endpoint[property])];
    const [row] = await runStatement<WebhookEndpointRow>(client, 'insert_webhook_endpoint', insert, values);
    return row ?? null;
  });
}

const columns: [keyof NewWebhookEndpoint, string][] = [
  ['organizationId', 'organization_id'],
  ['id', 'id'],
  ['url', 'url'],
  ['description', 'description'],
  ['events', 'events'],
  ['models', 'models'],
  ['payload', 'payload'],
  ['maxInFlight', 'max_in_flight'],
  ['maxPerSecond', 'max_per_second'],
  ['headers', 'headers'],
  ['secret', 'secret'],
];

const lock = 'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE';

const insert = `INSERT INTO webhook_endpoints (${columns.map(([, column]) => column).join(', ')})
  SELECT ${columns.map((_, index) => `$${index + 2}`).join(', ')}
  WHERE (SELECT count(*) FROM webhook_endpoints WHERE organization_id = $2 AND deleted_at IS NULL) < $1
  RETURNING ${shownColumnsSql}`;
