import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { withAttempts } from './deliveryAttempts.ts';
import { type DeliveryRow, deliveryColumnsSql } from './deliveryRow.ts';

/** One delivery with its attempts; null when the organization has none of that id. */
export async function getDelivery(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DeliveryRow | null> {
  const rows = await runStatement<Omit<DeliveryRow, 'attempts'>>(db.pool, 'get_delivery', statement, [
    id,
    organizationId,
  ]);
  const [delivery] = await withAttempts(db, rows);
  return delivery ?? null;
}

const statement = `SELECT ${deliveryColumnsSql} FROM deliveries d JOIN events e ON e.id = d.event_id
  WHERE d.id = $1 AND d.organization_id = $2`;
