import type { Database } from '../client.ts';
import { shownColumns, type WebhookEndpointRow } from './row.ts';

/** Null when the organization has none of that id, or it is deleted. */
export async function getWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | null> {
  return db.prisma.webhookEndpoint.findFirst({
    where: { id, organizationId, deletedAt: null },
    select: shownColumns,
  });
}
