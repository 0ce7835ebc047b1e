import type { Database } from '../client.ts';
import type { DeliveryRow } from './deliveryRow.ts';

/** Adds to each delivery its attempts, in their order. */
export async function withAttempts(
  db: Database,
  deliveries: Omit<DeliveryRow, 'attempts'>[],
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return [];
  const rows = await db.prisma.deliveryAttempt.findMany({
    where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    orderBy: { number: 'asc' },
  });
  const byDelivery = Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  return deliveries.map((delivery) => ({ ...delivery, attempts: byDelivery.get(delivery.id) ?? [] }));
}
