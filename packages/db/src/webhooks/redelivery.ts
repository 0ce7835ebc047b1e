import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type DeliveryRow, deliveryColumnsSql, shownStateSql, withAttempts } from './deliveries.ts';

/** Makes a delivery due again for 24 hours with all its attempts. Null when it is missing or its endpoint deleted. */
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

// Locks the event against a concurrent erasure. A delivery in flight keeps its lease.
const statement = `WITH whole AS (
    SELECT v.id, v.type, v.execution_id, v.endpoint_id FROM deliveries d JOIN events v ON v.id = d.event_id
    WHERE d.id = $1 AND d.organization_id = $2 AND v.body IS NOT NULL FOR SHARE OF v
  ),
  d AS (
    UPDATE deliveries SET state = 'pending', finished_at = NULL, next_attempt_at = now(),
      expires_at = now() + $3 * interval '1 millisecond',
      attempts = CASE WHEN state = 'pending' AND lease_until > now() THEN attempts ELSE 0 END,
      lease_until = CASE WHEN state = 'pending' THEN lease_until END
    WHERE id = $1 AND organization_id = $2 AND event_id IN (SELECT id FROM whole)
      AND (endpoint_id IS NULL OR EXISTS (
        SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id AND w.deleted_at IS NULL))
    RETURNING *
  )
  SELECT ${deliveryColumnsSql} FROM d JOIN whole e ON e.id = d.event_id`;

const erased = `SELECT 1 FROM deliveries d JOIN events v ON v.id = d.event_id
  WHERE d.id = $1 AND d.organization_id = $2 AND v.body IS NULL`;

export type Recovered = {
  count: number;
  hasMore: boolean;
};

const page = 1000;

/**
 * Makes the oldest `limit` due again for 24 hours with all attempts, without erased ones. Overdue deliveries of an
 * inactive endpoint count as expired.
 */
export async function recoverDeliveries(
  db: Database,
  endpointId: string,
  since: Date,
  limit: number,
): Promise<Recovered> {
  let count = 0;
  let after: Cursor = { createdAt: since, id: '' };
  for (;;) {
    const maxRows = Math.min(page, limit - count);
    const found = await nextPage(db, endpointId, after, maxRows + 1);
    const ids = found.slice(0, maxRows).map(({ id }) => id);
    count += (await makeDue(db, ids)).length;
    after = found[maxRows - 1] ?? after;
    if (found.length <= maxRows) return { count, hasMore: false };
    if (count >= limit) return { count, hasMore: true };
  }
}

type Cursor = { createdAt: Date; id: string };

async function nextPage(db: Database, endpointId: string, after: Cursor, maxRows: number): Promise<Cursor[]> {
  const values = [endpointId, after.createdAt, after.id, maxRows];
  return await runStatement<Cursor>(db.pool, 'recoverable_deliveries', readStatement, values);
}

/** Makes those deliveries due again that have failed or expired and can still be sent; returns their ids. */
export async function makeDue(db: Database, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const values = [ids, limits.webhookExpiryMs];
  const rows = await runStatement<{ id: string }>(db.pool, 'recover_deliveries', writeStatement, values);
  return rows.map(({ id }) => id);
}

const readStatement = `
SELECT d.id, d.created_at AS "createdAt" FROM deliveries d JOIN events v ON v.id = d.event_id
WHERE d.endpoint_id = $1 AND d.created_at >= $2 AND (d.created_at, d.id) > ($2::timestamptz, $3)
  AND ${shownStateSql} IN ('failed', 'expired') AND v.body IS NOT NULL
ORDER BY d.created_at, d.id LIMIT $4`;

const writeStatement = `
WITH whole AS MATERIALIZED (
  SELECT v.id FROM events v
  WHERE v.id = ANY (ARRAY (SELECT d.event_id FROM deliveries d WHERE d.id = ANY ($1::text[]))) AND v.body IS NOT NULL
  ORDER BY v.id FOR SHARE OF v
),
held AS MATERIALIZED (
  SELECT d.id FROM deliveries d
  WHERE d.id = ANY ($1::text[]) AND ${shownStateSql} IN ('failed', 'expired') AND d.event_id IN (SELECT id FROM whole)
    AND (d.endpoint_id IS NULL
      OR (SELECT true FROM webhook_endpoints w WHERE w.id = d.endpoint_id AND w.deleted_at IS NULL LIMIT 1))
  ORDER BY d.id FOR UPDATE OF d
)
UPDATE deliveries d SET state = 'pending', finished_at = NULL, next_attempt_at = now(), attempts = 0,
  expires_at = now() + $2 * interval '1 millisecond', lease_until = NULL
WHERE d.id = ANY (ARRAY (SELECT id FROM held)) RETURNING d.id`;
