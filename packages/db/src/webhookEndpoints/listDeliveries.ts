import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { withAttempts } from './deliveryAttempts.ts';
import { type DeliveryRow, type DeliveryState, deliveryColumnsSql } from './deliveryRow.ts';

/** Deliveries of an endpoint, newest first; those older than `cursor` (the id of one of them) if given. */
export async function listDeliveries(
  db: Database,
  args: {
    endpointId: string;
    limit: number;
    cursor?: string | undefined;
    state?: DeliveryState | undefined;
  },
): Promise<DeliveryRow[]> {
  const values = [args.endpointId, args.limit, args.cursor ?? null, args.state ?? null];
  const rows = await runStatement<Omit<DeliveryRow, 'attempts'>>(
    db.pool,
    'list_deliveries',
    statement,
    values,
  );
  return withAttempts(db, rows);
}

const statement = `SELECT ${deliveryColumnsSql}
  FROM deliveries d JOIN events e ON e.id = d.event_id
  WHERE d.endpoint_id = $1 AND ($4::text IS NULL OR d.state = $4)
    AND ($3::text IS NULL OR (d.created_at, d.id) <
      (SELECT c.created_at, c.id FROM deliveries c WHERE c.id = $3 AND c.endpoint_id = $1))
  ORDER BY d.created_at DESC, d.id DESC LIMIT $2`;
