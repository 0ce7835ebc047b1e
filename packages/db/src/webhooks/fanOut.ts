import { type Event, type EventType, isSubscribedTo } from '@holdfast/domain/events';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import type { Database } from '../client.ts';
import { firstId, runStatement, sameIdSql } from '../statement.ts';
import { anyEventBodySql, isWithinSql } from './eventBody.ts';
import { newDeliveryLeaseS } from './newEvents.ts';
import { type SigningSecrets, signingSecretsSql } from './secrets.ts';

export type Receivers = {
  organizationId: string;
  secrets: SigningSecrets;
  endpoints: ActiveEndpoint[];
};

export type ActiveEndpoint = SigningSecrets & {
  id: string;
  url: string;
  events: string[];
  models: string[];
  headers: string | null;
  isThin: boolean;
  dialect: string;
  maxInFlight: number;
  /** The limit that senders found for all of them together. */
  inFlightLimit: number | null;
  /** The last attempt failed: the endpoint is only probed. */
  isFailing: boolean;
  isPaced: boolean;
};

/** The receivers of events that are not fanned out yet, by organization. */
export async function readReceivers(db: Database, eventIds: string[]): Promise<Map<string, Receivers>> {
  const values = [eventIds, firstId('evt', eventIds)];
  const rows = await runStatement<Receivers>(db.pool, 'audiences', readReceiversSql, values);
  return new Map(rows.map((receivers) => [receivers.organizationId, receivers]));
}

export function isSubscribed(
  { events, models, dialect }: ActiveEndpoint,
  event: { type: EventType; model: string },
): boolean {
  return (
    isSubscribedTo({ events, dialect }, event.type) && (models.length === 0 || models.includes(event.model))
  );
}

const readReceiversSql = `
WITH requested AS MATERIALIZED (
  SELECT DISTINCT v.organization_id FROM unnest($1::text[]) AS i (id) CROSS JOIN LATERAL (
    SELECT organization_id, fanned_out_at FROM events WHERE id >= $2 AND ${sameIdSql('i.id')}
  ) v WHERE v.fanned_out_at IS NULL
)
SELECT o.id AS "organizationId", (SELECT row_to_json(s) FROM (SELECT ${signingSecretsSql('o', 'webhook_secret')}) s) AS secrets,
  (SELECT coalesce(json_agg(e), '[]') FROM (
    SELECT w.id, w.url, coalesce(w.events, '{}') AS events, w.models, w.headers, w.payload = 'thin' AS "isThin", w.dialect,
      w.max_in_flight AS "maxInFlight", w.in_flight_limit AS "inFlightLimit",
      w.failure_count > 0 AS "isFailing", w.max_per_second IS NOT NULL AS "isPaced",
      ${signingSecretsSql('w', 'secret')}
    FROM webhook_endpoints w WHERE w.organization_id = o.id AND w.deleted_at IS NULL AND w.is_active
  ) e) AS endpoints
FROM requested r CROSS JOIN LATERAL (SELECT * FROM organizations WHERE id = r.organization_id OFFSET 0) o`;

export type EventToFanOut = Event & {
  model: string;
  webhookUrl: string | null;
  webhookDialect: WebhookDialect | null;
  traceparent: string | null;
  body: string;
};

/** The events that are not fanned out yet, until their bodies together have `bodyBytes`. */
export async function readEventsToFanOut(
  db: Database,
  eventIds: string[],
  bodyBytes: number,
): Promise<EventToFanOut[]> {
  return await runStatement<EventToFanOut>(db.pool, 'events_to_fan_out', readStatement, [
    eventIds,
    firstId('evt', eventIds),
    firstId('exec', eventIds),
    bodyBytes,
  ]);
}

export async function listUnfannedEvents(db: Database, graceS: number, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'unfanned_events', listStatement, [graceS, limit]);
  return rows.map(({ id }) => id);
}

const eventToFanOut = {
  id: 'v.id',
  createdAt: 'v.created_at',
  execution: 'x',
  hold: 'x.hold_amount',
};

// State is checked after the rows are found by id: the index of events to fan out is full of dead entries.
const readStatement = `
WITH unfanned AS MATERIALIZED (
  SELECT v.id, v.type, v.organization_id AS "organizationId", x.id AS "executionId", v.created_at AS "createdAt",
    x.model, x.webhook_url AS "webhookUrl", x.webhook_dialect AS "webhookDialect", v.traceparent, ${anyEventBodySql('v.type', eventToFanOut)} AS body
  FROM unnest($1::text[]) AS i (id)
  CROSS JOIN LATERAL (SELECT * FROM events WHERE id >= $2 AND ${sameIdSql('i.id')}) v
  CROSS JOIN LATERAL (SELECT * FROM executions WHERE id >= $3 AND ${sameIdSql('v.execution_id')}) x
  WHERE v.fanned_out_at IS NULL
)
SELECT * FROM (SELECT *, ${isWithinSql('octet_length(body)', '$4')} AS is_within FROM unfanned) u WHERE is_within`;

const listStatement = `
SELECT id FROM events
WHERE fanned_out_at IS NULL AND execution_id IS NOT NULL AND created_at < now() - $1::float8 * interval '1 second'
ORDER BY created_at LIMIT $2`;

export type FanOut = {
  eventId: string;
  body: string | null;
  receivers: Receiver[];
};

/** `endpointId` null: the `webhook_url`. `claim`: the caller sends it under a lease, at once or within seconds. */
export type Receiver = {
  endpointId: string | null;
  lane: string;
  url: string;
  claim: 'start' | 'ahead' | 'waits' | null;
};

export type NewDelivery = {
  id: string;
  eventId: string;
  endpointId: string | null;
  isCounted: boolean;
  /** Null: not claimed. */
  leaseUntil: Date | null;
};

/**
 * Fixes each event's body and writes its deliveries, once per event. First attempts are due after `firstDelayS`; attempts
 * that start at once are counted, and their rows opened; the lease of the others is short (`newDeliveryLeaseS`).
 */
export async function fanOutEvents(
  db: Database,
  batch: FanOut[],
  args: { firstDelayS: number; expiryMs: number; leaseS: number },
): Promise<NewDelivery[]> {
  const sorted = batch.toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1));
  const ids = sorted.map(({ eventId }) => eventId);
  return await runStatement<NewDelivery>(db.pool, 'fan_out_events', fanOutEventsSql, [
    ids,
    sorted.map(({ body }) => body),
    sorted.map(({ receivers }) => JSON.stringify(receivers.map(toRow))),
    args.firstDelayS,
    args.expiryMs / 1000,
    args.leaseS,
    firstId('evt', ids),
  ]);
}

const toRow = ({ endpointId, lane, url, claim }: Receiver) => ({ endpoint_id: endpointId, lane, url, claim });

// Rows are looked up by their keys, because a join could be planned as a scan. So are those to update: an `UPDATE` could be
// planned with another index, `ON CONFLICT` cannot. They exist and are locked, so none is inserted; the proposed row is of
// the only kind that this service may insert, and such a row has a body.
const fanOutEventsSql = `
WITH held AS MATERIALIZED (
  SELECT i.*, v.organization_id, v.fanned_out_at, v.created_at + $5::float8 * interval '1 second' AS expires_at
  FROM unnest($1::text[], $2::text[], $3::jsonb[]) AS i (id, body, receivers) CROSS JOIN LATERAL (
    SELECT organization_id, fanned_out_at, created_at FROM events WHERE id >= $7 AND ${sameIdSql('i.id')}
    FOR UPDATE SKIP LOCKED
  ) v
),
fanned AS (
  INSERT INTO events (id, organization_id, endpoint_id, type, fanned_out_at, body)
  SELECT id, organization_id, '', 'endpoint.failing', now(), coalesce(body, '') FROM held WHERE fanned_out_at IS NULL
  ON CONFLICT (id) DO UPDATE SET fanned_out_at = EXCLUDED.fanned_out_at, body = nullif(EXCLUDED.body, '')
),
delivery AS (
  INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, next_attempt_at, expires_at, attempts,
    lease_until)
  SELECT delivery_id(h.id, r.endpoint_id), h.id, h.organization_id, r.endpoint_id, r.lane, r.url,
    now() + $4::float8 * interval '1 second', h.expires_at,
    coalesce(r.claim = 'start' AND h.expires_at > now(), false)::int,
    CASE WHEN r.claim IS NOT NULL AND h.expires_at > now() THEN
      now() + CASE r.claim WHEN 'start' THEN $6::float8 ELSE ${newDeliveryLeaseS} END * interval '1 second' END
  FROM held h CROSS JOIN LATERAL jsonb_to_recordset(h.receivers)
    AS r (endpoint_id text, lane text, url text, claim text)
  WHERE h.fanned_out_at IS NULL
  ON CONFLICT DO NOTHING RETURNING id, event_id, endpoint_id, lease_until, attempts > 0 AS is_counted
),
attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number) SELECT id, 1 FROM delivery WHERE is_counted
)
SELECT id, event_id AS "eventId", endpoint_id AS "endpointId", is_counted AS "isCounted", lease_until AS "leaseUntil"
FROM delivery`;
