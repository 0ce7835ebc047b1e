import { type EventType, terminalEventTypes } from '@holdfast/domain/events';
import { limits } from '@holdfast/domain/limits';
import { isNamedInSql } from './dialects.ts';
import { eventBodySql } from './eventBody.ts';

/** With more receivers the webhook-sender writes the deliveries: a transition must not take longer for them. */
const maxReceivers = 8;
/** With more active endpoints it also finds out which of them are receivers. */
const maxEndpoints = 32;

/** New deliveries are left to the sender that gets their hint for this time; then any sender may claim them. */
export const newDeliveryLeaseS = 8;

export type NewEvent = {
  /** Null: no one receives it. */
  eventId: string | null;
  /** Empty: the webhook-sender fans it out, if it has receivers. */
  deliveryIds: string[];
};

/**
 * CTEs that write the event of each of `rows` (see `eventBodySql`) whose column `events` does not exclude it, and its deliveries if all receivers are endpoints
 * and few; `addressed` is `rows` with what `newEventColumnsSql` returns. Deliveries to failing endpoints and those with
 * `max_per_second` get no lease: they wait their turn.
 */
export function newEventSql(rows: string, type: EventType): string {
  const isTerminal = terminalEventTypes.some((terminal) => terminal === type);
  const isWritten = `(x.events IS NULL${failureTypes.includes(type) ? ` OR x.events = 'failed'` : ''})`;
  const hasUrl = isTerminal
    ? 'x.webhook_url IS NOT NULL'
    : 'x.webhook_url IS NOT NULL AND x.webhook_dialect IS NOT NULL';
  return `
addressed AS MATERIALIZED (
  SELECT x.*, r.*, ${isWritten} AS is_written,
    ${isWritten} AND (r.receivers > 0 OR r.endpoints > ${maxEndpoints} OR ${hasUrl}) AS has_receiver,
    ${isWritten} AND r.receivers BETWEEN 1 AND ${maxReceivers} AND r.endpoints <= ${maxEndpoints} AND NOT (${hasUrl})
      AS is_fanned_out
  FROM (SELECT *, event_id(id, '${type}') AS event_id FROM ${rows}) x CROSS JOIN LATERAL (
    SELECT count(*) AS endpoints, count(*) FILTER (WHERE w.is_receiver) AS receivers,
      array_agg(delivery_id(x.event_id, w.id)) FILTER (WHERE w.is_receiver) AS delivery_ids,
      array_agg(w.id) FILTER (WHERE w.is_receiver) AS endpoint_ids, array_agg(w.url) FILTER (WHERE w.is_receiver) AS urls,
      array_agg(w.is_free) FILTER (WHERE w.is_receiver) AS are_free
    FROM (
      SELECT id, url, failure_count = 0 AND max_per_second IS NULL AS is_free,
        ${isSubscribedSql(type)} AND (cardinality(models) = 0 OR x.model = ANY (models)) AS is_receiver
      FROM webhook_endpoints WHERE organization_id = x.organization_id AND deleted_at IS NULL AND is_active
      LIMIT ${maxEndpoints + 1}
    ) w
  ) r
),
event AS (
  INSERT INTO events (id, organization_id, execution_id, type, fanned_out_at, body, traceparent)
  SELECT a.event_id, a.organization_id, a.id, '${type}', CASE WHEN a.is_fanned_out OR NOT a.has_receiver THEN now() END,
    CASE WHEN a.is_fanned_out THEN ${eventBodySql(type, newEvent)} END, a.traceparent
  FROM addressed a WHERE a.is_written
),
delivery AS (
  INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, lease_until, expires_at)
  SELECT w.id, a.event_id, a.organization_id, w.endpoint_id, w.endpoint_id, w.url,
    CASE WHEN w.is_free THEN now() + interval '${newDeliveryLeaseS} seconds' END,
    now() + interval '${limits.webhookExpiryMs} milliseconds'
  FROM addressed a CROSS JOIN LATERAL unnest(a.delivery_ids, a.endpoint_ids, a.urls, a.are_free)
    AS w (id, endpoint_id, url, is_free)
  WHERE a.is_fanned_out
)`;
}

/** The events of an item of a batch that has only those of failures. */
const failureTypes: readonly EventType[] = ['execution.failed', 'execution.expired'];

/** A row of `addressed`. */
const newEvent = {
  id: 'a.event_id',
  createdAt: 'now()::timestamptz(3)',
  execution: 'a',
  hold: 'a.hold',
};

export const newEventColumnsSql = `CASE WHEN has_receiver THEN event_id END AS "eventId",
  CASE WHEN is_fanned_out THEN delivery_ids ELSE '{}' END AS "deliveryIds"`;

/** As `isSubscribedTo` of the domain. */
function isSubscribedSql(type: EventType): string {
  return `(coalesce(cardinality(events), 0) = 0 OR '${type}' = ANY (events) OR 'execution.*' = ANY (events))
    AND ${isNamedInSql('dialect', `'${type}'`)}`;
}
