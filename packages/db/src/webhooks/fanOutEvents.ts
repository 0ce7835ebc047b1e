import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type FanOut = {
  eventId: string;
  /** Null when nobody receives it. */
  body: string | null;
  receivers: Receiver[];
};

/** `endpointId` null: the execution's own `webhook_url`. */
export type Receiver = { endpointId: string | null; url: string };

/**
 * Fixes each event's body and writes its deliveries, all of an event or nothing, once: what another process fans out
 * or has fanned out is left alone. The first attempt is due after `firstDelayS`.
 * Returns the ids of the new deliveries.
 */
export async function fanOutEvents(
  db: Database,
  batch: FanOut[],
  args: { firstDelayS: number; expiryMs: number },
): Promise<string[]> {
  const deliveries = batch.flatMap(({ eventId, receivers }) =>
    receivers.map((receiver) => ({ eventId, ...receiver })),
  );
  const rows = await runStatement<{ id: string }>(db.pool, 'fan_out_events', statement, [
    batch.map(({ eventId }) => eventId),
    batch.map(({ body }) => body),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpointId }) => endpointId),
    deliveries.map(({ url }) => url),
    args.firstDelayS,
    args.expiryMs / 1000,
  ]);
  return rows.map(({ id }) => id);
}

const statement = `
WITH due AS (
  SELECT id, fanned_out_at FROM events WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE SKIP LOCKED
),
fanned AS (
  UPDATE events v SET fanned_out_at = now(), body = i.body
  FROM due JOIN unnest($1::text[], $2::text[]) AS i (id, body) ON i.id = due.id
  WHERE v.id = due.id AND due.fanned_out_at IS NULL
  RETURNING v.id, v.organization_id, v.created_at
)
INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, url, next_attempt_at, expires_at)
SELECT delivery_id(f.id, r.endpoint_id), f.id, f.organization_id, r.endpoint_id, r.url, now() + $6::float8 * interval '1 second',
  f.created_at + $7::float8 * interval '1 second'
FROM fanned f JOIN unnest($3::text[], $4::text[], $5::text[]) AS r (event_id, endpoint_id, url) ON r.event_id = f.id
ON CONFLICT DO NOTHING RETURNING id`;
