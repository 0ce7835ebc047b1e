import { type EventType, isSubscribedTo } from '@holdfast/domain/events';
import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { executionColumns } from '../executions/read.ts';
import { firstId, runStatement } from '../statement.ts';
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
  maxInFlight: number;
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
  { events, models }: ActiveEndpoint,
  event: { type: EventType; model: string },
): boolean {
  return isSubscribedTo(events, event.type) && (models.length === 0 || models.includes(event.model));
}

const readReceiversSql = `
WITH requested AS MATERIALIZED (
  SELECT DISTINCT organization_id FROM events WHERE id = ANY ($1::text[]) AND id >= $2 AND fanned_out_at IS NULL
)
SELECT o.id AS "organizationId", (SELECT row_to_json(s) FROM (SELECT ${signingSecretsSql('o', 'webhook_secret')}) s) AS secrets,
  (SELECT coalesce(json_agg(e), '[]') FROM (
    SELECT w.id, w.url, coalesce(w.events, '{}') AS events, w.models, w.headers, w.payload = 'thin' AS "isThin",
      w.max_in_flight AS "maxInFlight", w.failure_count > 0 AS "isFailing", w.max_per_second IS NOT NULL AS "isPaced",
      ${signingSecretsSql('w', 'secret')}
    FROM webhook_endpoints w WHERE w.organization_id = o.id AND w.deleted_at IS NULL AND w.is_active
  ) e) AS endpoints
FROM requested JOIN organizations o ON o.id = requested.organization_id`;

export type EventToFanOut = {
  eventId: string;
  eventType: EventType;
  eventCreatedAt: Date;
  traceparent: string | null;
} & Execution;

/** The events that are not fanned out yet, with their executions (`id` is the id of the execution). */
export async function readEventsToFanOut(db: Database, eventIds: string[]): Promise<EventToFanOut[]> {
  return await runStatement<EventToFanOut>(db.pool, 'events_to_fan_out', readStatement, [
    eventIds,
    firstId('evt', eventIds),
    firstId('exec', eventIds),
  ]);
}

export async function listUnfannedEvents(db: Database, graceS: number, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'unfanned_events', listStatement, [graceS, limit]);
  return rows.map(({ id }) => id);
}

// State is checked after the rows are found by id: the index of events to fan out is full of dead entries.
const readStatement = `
WITH requested AS MATERIALIZED (
  SELECT id, type, created_at, execution_id, fanned_out_at, traceparent FROM events
  WHERE id = ANY ($1::text[]) AND id >= $2
)
SELECT v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", v.traceparent, ${executionColumns('x')}
FROM requested v JOIN executions x ON x.id = v.execution_id AND x.id >= $3
WHERE v.fanned_out_at IS NULL`;

const listStatement = `
SELECT id FROM events
WHERE fanned_out_at IS NULL AND execution_id IS NOT NULL AND created_at < now() - $1::float8 * interval '1 second'
ORDER BY created_at LIMIT $2`;

export type FanOut = {
  eventId: string;
  body: string | null;
  receivers: Receiver[];
};

/** `endpointId` null: the `webhook_url`. `take`: the caller makes the first attempt at once, under a lease. */
export type Receiver = { endpointId: string | null; lane: string; url: string; take: boolean };

export type NewDelivery = { id: string; eventId: string; endpointId: string | null; taken: boolean };

/** Fixes each event's body and writes its deliveries, once per event. First attempts are due after `firstDelayS`. */
export async function fanOutEvents(
  db: Database,
  batch: FanOut[],
  args: { firstDelayS: number; expiryMs: number; leaseS: number },
): Promise<NewDelivery[]> {
  const deliveries = batch.flatMap(({ eventId, receivers }) =>
    receivers.map((receiver) => ({ eventId, ...receiver })),
  );
  return await runStatement<NewDelivery>(db.pool, 'fan_out_events', fanOutEventsSql, [
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

const fanOutEventsSql = `
WITH requested AS (
  SELECT id, fanned_out_at FROM events
  WHERE id = ANY ($1::text[]) AND id >= $11 ORDER BY id FOR UPDATE SKIP LOCKED
),
fanned AS (
  UPDATE events v SET fanned_out_at = now(), body = i.body
  FROM requested JOIN unnest($1::text[], $2::text[]) AS i (id, body) ON i.id = requested.id
  WHERE v.id = requested.id AND v.id >= $11 AND requested.fanned_out_at IS NULL
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

/** Organizations with an active endpoint for this type. Spec, "Events" 1: an empty list means all types. */
export function subscribedOrganizationsSql(rows: string, type: EventType): string {
  return `
  SELECT DISTINCT organization_id FROM webhook_endpoints
  WHERE organization_id = ANY (ARRAY (SELECT DISTINCT organization_id FROM ${rows})) AND deleted_at IS NULL AND is_active
    AND (coalesce(cardinality(events), 0) = 0 OR '${type}' = ANY (events) OR 'execution.*' = ANY (events))`;
}
