import type { Database } from '@holdfast/db/client';
import type { WebhookEndpointRow } from '@holdfast/db/webhooks/endpoints';
import { getWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { knownShape, notFound } from '../http/fields.ts';

/** An endpoint by the id in a path. @throws NOT_FOUND */
export async function findEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await getWebhookEndpoint(db, organizationId, knownShape('wh', id, 'webhook endpoint'));
  if (!row) throw notFound('webhook endpoint');
  return row;
}
