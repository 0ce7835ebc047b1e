import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import type { DeliveryAttemptRow, DeliveryRow } from './deliveryRow.ts';

/** Of each delivery; one that is sent again and again has attempts without end, each with up to 4 KiB of answer. */
const attemptsShown = 50;

/** Adds to each delivery its last attempts, in their order. */
export async function withAttempts(
  db: Database,
  deliveries: Omit<DeliveryRow, 'attempts'>[],
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return [];
  const values = [deliveries.map(({ id }) => id), attemptsShown];
  const rows = await runStatement<DeliveryAttemptRow & { deliveryId: string }>(
    db.pool,
    'delivery_attempts',
    statement,
    values,
  );
  const byDelivery = Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  return deliveries.map((delivery) => ({ ...delivery, attempts: byDelivery.get(delivery.id) ?? [] }));
}

const statement = `SELECT a.* FROM unnest($1::text[]) AS d (id) CROSS JOIN LATERAL (
    SELECT delivery_id AS "deliveryId", number, started_at AS "startedAt", duration_ms AS "durationMs",
      status_code AS "statusCode", error, stage, answer
    FROM delivery_attempts WHERE delivery_id = d.id ORDER BY number DESC LIMIT $2
  ) a ORDER BY a.number`;
