import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';

export type FanOut = {
  eventId: string;
  /** Null when nobody receives it. */
  body: string | null;
  receivers: Receiver[];
};

/**
 * `endpointId` null: the execution's own `webhook_url`. `take`: the caller makes the first attempt itself, at once, unless
 * the event is past its time; the delivery is its own for the lease, and the attempt's row is open.
 */
export type Receiver = { endpointId: string | null; lane: string; url: string; take: boolean };

export type NewDelivery = { id: string; eventId: string; endpointId: string | null; taken: boolean };

/**
 * Fixes each event's body and writes its deliveries, all of an event or nothing, once: what another process fans out
 * or has fanned out is left alone. The first attempt is due after `firstDelayS`.
 */
export async function fanOutEvents(
  db: Database,
  batch: FanOut[],
  args: { firstDelayS: number; expiryMs: number; leaseS: number },
): Promise<NewDelivery[]> {
  const deliveries = batch.flatMap(({ eventId, receivers }) =>
    receivers.map((receiver) => ({ eventId, ...receiver })),
  );
  return await runStatement<NewDelivery>(db.pool, 'fan_out_events', statement, [
    batch.map(({ eventId }) => eventId),
    batch.map(({ body }) => body),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpointId }) => endpointId),
    deliveries.map(({ url }) => url),
    deliveries.map(({ take }) => take),
    deliveries.map(({ lane }) => lane),
    args.firstDelayS,
    args.expiryMs / 1000,
    args.leaseS,
    firstId(
      'evt',
      batch.map(({ eventId }) => eventId),
    ),
  ]);
}

const statement = `
WITH asked AS (
  SELECT id, fanned_out_at FROM events
  WHERE id = ANY ($1::text[]) AND id >= $11 ORDER BY id FOR UPDATE SKIP LOCKED
),
fanned AS (
  UPDATE events v SET fanned_out_at = now(), body = i.body
  FROM asked JOIN unnest($1::text[], $2::text[]) AS i (id, body) ON i.id = asked.id
  WHERE v.id = asked.id AND v.id >= $11 AND asked.fanned_out_at IS NULL
  RETURNING v.id, v.organization_id, v.created_at + $9::float8 * interval '1 second' AS expires_at
),
delivery AS (
  INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, next_attempt_at, expires_at, attempts,
    lease_until)
  SELECT delivery_id(f.id, r.endpoint_id), f.id, f.organization_id, r.endpoint_id, r.lane, r.url,
    now() + $8::float8 * interval '1 second', f.expires_at, (r.take AND f.expires_at > now())::int,
    CASE WHEN r.take AND f.expires_at > now() THEN now() + $10::float8 * interval '1 second' END
  FROM fanned f JOIN unnest($3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[])
    AS r (event_id, endpoint_id, url, take, lane)
    ON r.event_id = f.id
  ON CONFLICT DO NOTHING RETURNING id, event_id, endpoint_id, attempts > 0 AS taken
),
attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number) SELECT id, 1 FROM delivery WHERE taken
)
SELECT id, event_id AS "eventId", endpoint_id AS "endpointId", taken FROM delivery`;
