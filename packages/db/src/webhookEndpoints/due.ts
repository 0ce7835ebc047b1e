import type { Database } from '../client.ts';

/** Deliveries of an endpoint that are due now, the oldest first: to be hinted at; the sweep finds the rest. */
export async function listDueDeliveries(db: Database, endpointId: string, limit: number): Promise<string[]> {
  const rows = await db.prisma.delivery.findMany({
    where: { endpointId, state: 'pending', nextAttemptAt: { lte: new Date() } },
    orderBy: { nextAttemptAt: 'asc' },
    take: limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}
