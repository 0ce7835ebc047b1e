import type { Database } from '../client.ts';
import { shownColumns, type WebhookEndpointRow } from './row.ts';

/** Newest first; those older than `cursor` (the id of an endpoint) if given. */
export async function listWebhookEndpoints(
  db: Database,
  args: { organizationId: string; limit: number; cursor?: string | undefined },
): Promise<WebhookEndpointRow[]> {
  return db.prisma.webhookEndpoint.findMany({
    where: {
      organizationId: args.organizationId,
      deletedAt: null,
      ...(args.cursor && { id: { lt: args.cursor } }),
    },
    orderBy: { id: 'desc' },
    take: args.limit,
    select: shownColumns,
  });
}
