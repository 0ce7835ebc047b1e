import { executionErrors } from '@holdfast/domain/errors';
import { type EventType, statusAfter, terminalEventTypes } from '@holdfast/domain/events';
import { priorities } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import { quotedList } from '../executions/read.ts';

/** With more receivers the webhook-sender writes the deliveries: a transition must not take longer for them. */
const maxReceivers = 8;
/** With more active endpoints it also finds out which of them are receivers. */
const maxEndpoints = 32;

/** For so long, new deliveries are left to the sender that gets their hint; then any sender may claim them. */
export const newDeliveryLeaseS = 8;

export type NewEvent = {
  /** Null: no one receives it. */
  eventId: string | null;
  /** Empty: the webhook-sender fans it out, if it has receivers. */
  deliveryIds: string[];
};

/**
 * CTEs that write the event of each of `rows` (see `newEventBodySql`), and its deliveries if all receivers are endpoints
 * and few; `addressed` is `rows` with what `newEventColumnsSql` returns. Deliveries to failing endpoints and those with
 * `max_per_second` get no lease: they wait their turn.
 */
export function newEventSql(rows: string, type: EventType): string {
  const isTerminal = terminalEventTypes.some((terminal) => terminal === type);
  const hasUrl = isTerminal ? 'x.webhook_url IS NOT NULL' : 'false';
  return `
addressed AS MATERIALIZED (
  SELECT x.*, r.*, r.receivers > 0 OR r.endpoints > ${maxEndpoints} OR ${hasUrl} AS has_receiver,
    r.receivers BETWEEN 1 AND ${maxReceivers} AND r.endpoints <= ${maxEndpoints} AND NOT (${hasUrl}) AS is_fanned_out
  FROM (SELECT *, event_id(id, '${type}') AS event_id FROM ${rows}) x CROSS JOIN LATERAL (
    SELECT count(*) AS endpoints, count(*) FILTER (WHERE w.is_receiver) AS receivers,
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
    CASE WHEN a.is_fanned_out THEN ${newEventBodySql(type, 'a')} END, a.traceparent
  FROM addressed a
),
delivery AS (
  INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, lease_until, expires_at)
  SELECT delivery_id(a.event_id, w.id), a.event_id, a.organization_id, w.id, w.id, w.url,
    CASE WHEN w.is_free THEN now() + interval '${newDeliveryLeaseS} seconds' END,
    now() + interval '${limits.webhookExpiryMs} milliseconds'
  FROM addressed a CROSS JOIN LATERAL unnest(a.endpoint_ids, a.urls, a.are_free) AS w (id, url, is_free)
  WHERE a.is_fanned_out
)`;
}

export const newEventColumnsSql = `CASE WHEN has_receiver THEN event_id END AS "eventId",
  CASE WHEN is_fanned_out THEN ARRAY (SELECT delivery_id(event_id, w) FROM unnest(endpoint_ids) w) ELSE '{}' END
    AS "deliveryIds"`;

/** Spec, "Events" 1: an empty list means all types. */
function isSubscribedSql(type: EventType): string {
  return `(coalesce(cardinality(events), 0) = 0 OR '${type}' = ANY (events) OR 'execution.*' = ANY (events))`;
}

/**
 * The body of an event that is written now, of a `row` with the columns of its execution (`hold_amount` as `hold`, `output`
 * as text): the same as `deliveredEventBody` of the domain, which a test compares with it.
 */
function newEventBodySql(type: EventType, row: string): string {
  const envelope = [
    ['id', quoted(`${row}.event_id`)],
    ['type', `'"${type}"'`],
    ['event_type', `'"${type}"'`],
    ['timestamp', timeSql('now()::timestamptz(3)')],
    ['version', `'"1.0"'`],
    ['organization_id', quoted(`${row}.organization_id`)],
    ['execution_id', quoted(`${row}.id`)],
  ] as const;
  const thin = [
    ['id', quoted(`${row}.id`)],
    ['status', `'"${statusAfter[type]}"'`],
  ] as const;
  const full = objectSql([...envelope, ['data', objectSql(statusRecord(type, row))]]);
  const truncated = objectSql([...envelope, ['truncated', `'true'`], ['data', objectSql(thin)]]);
  return `(SELECT CASE WHEN octet_length(body) > ${limits.webhookBodyBytes} THEN ${truncated} ELSE body END
    FROM (SELECT ${full} AS body OFFSET 0) b)`;
}

type Field = readonly [name: string, json: string];

/** As `statusRecord` of the domain; of a start, what is known then. */
function statusRecord(type: EventType, row: string): Field[] {
  const status = statusAfter[type];
  const isStart = type === 'execution.started';
  const ended = (json: string) => (isStart ? `'null'` : json);
  return [
    ['id', quoted(`${row}.id`)],
    ['status', `'"${status}"'`],
    ['model', jsonSql(`${row}.model`)],
    ['hold_amount', moneySql(`${row}.hold`)],
    ['estimated_cost', moneySql(`${row}.estimated_cost`)],
    ['expires_at', timeSql(`${row}.expires_at`)],
    ['created_at', timeSql(`${row}.created_at`)],
    ['mode', `'"ASYNC"'`],
    ['priority', quoted(`('{${priorities.join(',')}}'::text[])[${row}.priority + 1]`)],
    ['progress', status === 'COMPLETED' ? `'1'` : ended(jsonSql(`${row}.progress`))],
    ['queue_position', `'null'`],
    ['metadata', jsonSql(`${row}.metadata`)],
    ['webhook_url', jsonSql(`${row}.webhook_url`)],
    ['started_at', timeSql(isStart ? 'now()::timestamptz(3)' : `${row}.started_at`)],
    ['completed_at', ended(timeSql(`${row}.completed_at`))],
    ['cost', ended(moneySql(`${row}.cost`))],
    ['error', ended(errorSql(row))],
    ['erased_at', `'null'`],
    ...(status === 'COMPLETED' ? completed(row) : []),
  ];
}

function completed(row: string): Field[] {
  const usage: Field[] = [
    ['input_tokens', `coalesce(${row}.input_tokens, 0)`],
    ['output_tokens', `coalesce(${row}.output_tokens, 0)`],
  ];
  return [
    ['result', `coalesce(${row}.output, '{}')`],
    ['usage', objectSql(usage)],
    ['latency_ms', `coalesce(${row}.latency_ms, 0)`],
  ];
}

const retryable = Object.entries(executionErrors).flatMap(([code, error]) => (error.retryable ? [code] : []));

function errorSql(row: string): string {
  const error = objectSql([
    ['code', quoted(`${row}.error_code`)],
    ['message', `to_json(coalesce(${row}.error_message, ''))`],
    ['retryable', `CASE WHEN ${row}.error_code IN (${quotedList(retryable)}) THEN 'true' ELSE 'false' END`],
  ]);
  return `CASE WHEN ${row}.error_code IS NULL THEN 'null' ELSE ${error} END`;
}

/** JSON as text, without spaces. `concat` takes what is null as empty, so no value may be. */
function objectSql(fields: readonly Field[]): string {
  const parts = fields.map(([name, json], index) => `'${index === 0 ? '{' : ','}"${name}":', ${json}`);
  return `concat(${parts.join(', ')}, '}')`;
}

/** For texts that need no escapes. */
const quoted = (text: string) => `'"' || ${text} || '"'`;
const jsonSql = (value: string) => `coalesce(to_json(${value})::text, 'null')`;
const moneySql = (amount: string) =>
  `coalesce(${quoted(`round(${amount}, greatest(2, min_scale(${amount})))`)}, 'null')`;
const timeSql = (time: string) =>
  `coalesce(${quoted(`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)}, 'null')`;
