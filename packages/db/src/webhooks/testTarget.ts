import type { Database } from '../client.ts';

/** Where a test call goes; secret and headers are sealed. */
export type TestTarget = { url: string; secret: string; headers: string | null };

/** The organization's endpoint, active or not; null when it has none of that id. */
export async function getTestTarget(
  db: Database,
  organizationId: string,
  endpointId: string,
): Promise<TestTarget | null> {
  return await db.prisma.webhookEndpoint.findFirst({
    where: { id: endpointId, organizationId, deletedAt: null },
    select: { url: true, secret: true, headers: true },
  });
}
