import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { withAttempts } from './deliveryAttempts.ts';
import { type DeliveryRow, deliveryColumnsSql } from './deliveryRow.ts';

/**
 * Makes a delivery due again, whatever became of it, for another 24 hours; one that had ended has all its attempts
 * before it again, and their rows are numbered on. `erased` when what it would send was erased.
 * Null when the organization has none of that id, or its endpoint is deleted.
 */
export async function redeliver(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DeliveryRow | 'erased' | null> {
  const rows = await runStatement<Omit<DeliveryRow, 'attempts'>>(db.pool, 'redeliver', statement, [
    id,
    organizationId,
    limits.webhookExpiryMs,
  ]);
  const [delivery] = await withAttempts(db, rows);
  return delivery ?? ((await isErased(db, organizationId, id)) ? 'erased' : null);
}

async function isErased(db: Database, organizationId: string, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'is_delivery_erased', erased, [id, organizationId]);
  return rows.length > 0;
}

// The event is locked, for it might be erased now. A pending delivery that is being attempted keeps its lease: the
// attempt in flight goes on.
const statement = `WITH whole AS (
    SELECT v.id, v.type, v.execution_id, v.endpoint_id FROM deliveries d JOIN events v ON v.id = d.event_id
    WHERE d.id = $1 AND d.organization_id = $2 AND v.body IS NOT NULL FOR SHARE OF v
  ),
  d AS (
    UPDATE deliveries SET state = 'pending', finished_at = NULL, next_attempt_at = now(),
      expires_at = now() + $3 * interval '1 millisecond',
      attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END,
      lease_until = CASE WHEN state = 'pending' THEN lease_until END
    WHERE id = $1 AND organization_id = $2 AND event_id IN (SELECT id FROM whole)
      AND (endpoint_id IS NULL OR EXISTS (
        SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id AND w.deleted_at IS NULL))
    RETURNING *
  )
  SELECT ${deliveryColumnsSql} FROM d JOIN whole e ON e.id = d.event_id`;

const erased = `SELECT 1 FROM deliveries d JOIN events v ON v.id = d.event_id
  WHERE d.id = $1 AND d.organization_id = $2 AND v.body IS NULL`;
