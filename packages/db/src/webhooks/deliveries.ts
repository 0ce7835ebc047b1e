import type { Database } from '../client.ts';
import { isDeliveryOfExecutionSql } from '../executions/watch.ts';
import { type Condition, givenConditions, runStatement } from '../statement.ts';

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'expired';

export type DeliveryAttemptRow = {
  number: number;
  startedAt: Date;
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
  stage: string | null;
  response: string | null;
};

export type DeliveryRow = {
  id: string;
  eventId: string;
  eventType: string;
  executionId: string | null;
  aboutEndpointId: string | null;
  endpointId: string | null;
  lane: string;
  url: string;
  state: DeliveryState;
  attempts: DeliveryAttemptRow[];
  nextAttemptAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
};

/** Past its time, though the sweep has not ended it yet. */
const isOver = `d.state = 'pending' AND d.expires_at <= now() AND (d.lease_until IS NULL OR d.lease_until <= now())`;

export const shownStateSql = `CASE WHEN ${isOver} THEN 'expired' ELSE d.state END`;

export const deliveryColumnsSql = `d.id, d.event_id AS "eventId", e.type AS "eventType",
  e.execution_id AS "executionId", e.endpoint_id AS "aboutEndpointId", d.endpoint_id AS "endpointId", d.lane, d.url,
  ${shownStateSql} AS state, d.next_attempt_at AS "nextAttemptAt", d.expires_at AS "expiresAt",
  d.created_at AS "createdAt", CASE WHEN ${isOver} THEN d.expires_at ELSE d.finished_at END AS "finishedAt"`;

/** A redelivered delivery may have any number, each with up to 4 KiB of response. */
const attemptsShown = 50;

export async function withAttempts(
  db: Database,
  deliveries: Omit<DeliveryRow, 'attempts'>[],
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return [];
  const values = [deliveries.map(({ id }) => id), attemptsShown];
  const rows = await runStatement<DeliveryAttemptRow & { deliveryId: string }>(
    db.pool,
    'delivery_attempts',
    withAttemptsSql,
    values,
  );
  const byDelivery = Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  return deliveries.map((delivery) => ({ ...delivery, attempts: byDelivery.get(delivery.id) ?? [] }));
}

const withAttemptsSql = `SELECT a.* FROM unnest($1::text[]) AS d (id) CROSS JOIN LATERAL (
    SELECT delivery_id AS "deliveryId", number, started_at AS "startedAt", duration_ms AS "durationMs",
      status_code AS "statusCode", error, stage, answer AS response
    FROM delivery_attempts WHERE delivery_id = d.id ORDER BY number DESC LIMIT $2
  ) a ORDER BY a.number`;

export async function getDelivery(
  db: Database,
  organizationId: string,
  id: string,
): Promise<DeliveryRow | null> {
  const rows = await runStatement<Omit<DeliveryRow, 'attempts'>>(db.pool, 'get_delivery', getDeliverySql, [
    id,
    organizationId,
  ]);
  const [delivery] = await withAttempts(db, rows);
  return delivery ?? null;
}

const getDeliverySql = `SELECT ${deliveryColumnsSql} FROM deliveries d JOIN events e ON e.id = d.event_id
  WHERE d.id = $1 AND d.organization_id = $2`;

export type DeliveryFilter = {
  /** At least one of these two: no index serves a page without them. */
  endpointId?: string | undefined;
  executionId?: string | undefined;
  state?: DeliveryState | undefined;
  eventType?: string | undefined;
  isAttempted?: boolean | undefined;
  models?: readonly string[] | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  cursor?: string | undefined;
};

/** Each page looks at this many deliveries at most, however few of them match. */
export const searchedPerPage = 20_000;

/** `reached`: where the next page begins, when this one ended with fewer rows because it had looked at enough of them. */
export type DeliveryPage<Row = DeliveryRow> = { rows: Row[]; reached: string | null };

/** Newest first: a slice by the index of the endpoint's or the execution's deliveries, and what matches in it. */
export async function listDeliveries(
  db: Database,
  organizationId: string,
  filter: DeliveryFilter,
  limit: number,
): Promise<DeliveryPage> {
  const slice = givenConditions(sliceConditions, filter, 3);
  const match = givenConditions(matchConditions, filter, 3 + slice.values.length);
  const source = `deliveries d WHERE d.organization_id = $1${slice.sql} ORDER BY d.created_at DESC, d.id DESC`;
  const rows = await runStatement<Omit<DeliveryRow, 'attempts'>>(
    db.pool,
    `list_deliveries_${slice.key}_${match.key}`,
    `SELECT ${deliveryColumnsSql} FROM (SELECT d.* FROM ${source} LIMIT $2) d
      CROSS JOIN LATERAL (SELECT * FROM events v WHERE v.id = d.event_id OFFSET 0) e
      WHERE true${match.sql} ORDER BY d.created_at DESC, d.id DESC LIMIT $3`,
    [organizationId, searchedPerPage, limit, ...slice.values, ...match.values],
  );
  const whole = await withAttempts(db, rows);
  if (rows.length >= limit || match.values.length === 0) return { rows: whole, reached: null };
  const [last] = await runStatement<{ id: string }>(
    db.pool,
    `list_deliveries_reached_${slice.key}`,
    `SELECT d.id FROM ${source} OFFSET $2 - 1 LIMIT $3`,
    [organizationId, searchedPerPage, 1, ...slice.values],
  );
  return { rows: whole, reached: last?.id ?? null };
}

/** A delivery that is sent again counts its attempts anew. */
export const isAttemptedSql =
  '(d.attempts > 0 OR EXISTS (SELECT FROM delivery_attempts a WHERE a.delivery_id = d.id))';

const sliceConditions: Condition<DeliveryFilter>[] = [
  { name: 'endpointId', sql: 'd.endpoint_id = ?' },
  { name: 'executionId', sql: isDeliveryOfExecutionSql('d', '?') },
  { name: 'createdAfter', sql: 'd.created_at > ?' },
  { name: 'createdBefore', sql: 'd.created_at < ?' },
  {
    name: 'cursor',
    sql: `(d.created_at, d.id) <
      (SELECT c.created_at, c.id FROM deliveries c WHERE c.id = ? AND c.organization_id = $1)`,
  },
];

const matchConditions: Condition<DeliveryFilter>[] = [
  { name: 'state', sql: `${shownStateSql} = ?` },
  { name: 'eventType', sql: 'e.type = ?' },
  { name: 'isAttempted', sql: `${isAttemptedSql} = ?` },
  {
    name: 'models',
    sql: `(e.execution_id IS NULL
      OR (SELECT x.model FROM executions x WHERE x.id = e.execution_id) = ANY (?::text[]))`,
  },
];
