import type { EventType } from '@holdfast/domain/events';
import type { Execution } from '@holdfast/domain/execution';
import type { Database } from './client.ts';
import { executionColumns } from './executions/read.ts';
import { eventIdsOfExecutionSql, isDeliveryOfEventSql } from './executions/watch.ts';
import { type Condition, checkedSql, givenConditions, runStatement } from './statement.ts';

type Known = {
  eventId: string;
  eventCreatedAt: Date;
  executionId: string | null;
};

/** With the body as it was delivered, or with the execution (its id is `id`) from which to render it. */
export type EventRow = Known & ({ body: string } | ({ body: null; eventType: EventType } & Execution));

export const eventColumnsSql = `v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", v.body,
  v.execution_id AS "executionId",
  ${executionColumns('x')}`;

/** `OFFSET 0` keeps the planner on the look-up by id. */
export const executionOfSql = `LEFT JOIN LATERAL (
    SELECT * FROM executions e WHERE v.body IS NULL AND e.id = v.execution_id OFFSET 0
  ) x ON true`;

export async function getEvent(db: Database, organizationId: string, id: string): Promise<EventRow | null> {
  const [row] = await runStatement<EventRow>(db.pool, 'get_event', statement, [id, organizationId]);
  return row ?? null;
}

const statement = `SELECT ${eventColumnsSql} FROM events v ${executionOfSql}
  WHERE v.id = $1 AND ${checkedSql('v.organization_id = $2')}`;

export type EventOfExecution = { id: string; type: string; createdAt: Date; body: string | null };

/** First to last. */
export async function listEventsOfExecution(db: Database, executionId: string): Promise<EventOfExecution[]> {
  return await runStatement<EventOfExecution>(db.pool, 'events_of_execution', ofExecutionSql, [executionId]);
}

const ofExecutionSql = `SELECT id, type, created_at AS "createdAt", body FROM events
  WHERE id IN (${eventIdsOfExecutionSql('$1::text')}) ORDER BY created_at, id`;

export type EventFilter = {
  types?: readonly string[] | undefined;
  models?: readonly string[] | undefined;
  /** An endpoint: leaves out the events about it. */
  notAbout?: string | undefined;
  executionId?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  cursor?: string | undefined;
};

/** Events not delivered to this endpoint, or (null) not delivered to every receiver. */
export type Undelivered = { to: string | null };

export type EventPage = {
  rows: EventRow[];
  /** The last event scanned, when there may be more. */
  reached: string | null;
};

const maxScanned = 5000;

/** At most `limit` events in order of time. A filtered page may be short although more events follow `reached`. */
export async function listEvents(
  db: Database,
  organizationId: string,
  args: { filter: EventFilter; undelivered: Undelivered | null; isAscending: boolean; limit: number },
): Promise<EventPage> {
  const { filter, undelivered, isAscending, limit } = args;
  // Filters with a look-up per event run on the scanned ones only.
  const isFiltered = undelivered !== null || filter.models !== undefined;
  const given = givenConditions(isAscending ? ascending : descending, filter, 3);
  const wanted = givenConditions(wantedConditions, filter, 3 + given.values.length);
  const values = [organizationId, limit, isFiltered ? maxScanned : limit, ...given.values, ...wanted.values];
  if (undelivered?.to) values.push(undelivered.to);
  const direction = isAscending ? 'ASC' : 'DESC';
  const text = listEventsStatement({
    source: filter.executionId === undefined ? 'events' : eventsOfExecution,
    where: given.sql + (undelivered ? isLogged : '') + (isFiltered ? '' : wanted.sql),
    filter: missedSql(undelivered, `$${values.length}`) + (isFiltered ? wanted.sql : ''),
    order: (by) => `ORDER BY ${by}.created_at ${direction}, ${by}.id COLLATE "POSIX" ${direction}`,
  });
  const kind = undelivered ? (undelivered.to ? 'missed' : 'undelivered') : 'all';
  const name = `list_events_${kind}_${direction}_${given.key}${wanted.key}`;
  const rows = await runStatement<EventRow & { reached: string | null }>(db.pool, name, text, values);
  // Without a match, one row without an event carries `reached`.
  return { rows: rows.filter(({ eventId }) => eventId !== null), reached: rows[0]?.reached ?? null };
}

const eventsOfExecution = `(SELECT * FROM events WHERE id IN (${eventIdsOfExecutionSql('$4')}) OFFSET 0)`;

function listEventsStatement(args: {
  source: string;
  where: string;
  filter: string;
  order(by: string): string;
}): string {
  const { source, where, filter, order } = args;
  return `
WITH scanned AS MATERIALIZED (
  SELECT v.id, v.created_at, v.type, v.execution_id, v.endpoint_id FROM ${source} v
  WHERE v.organization_id = $1${where} ${order('v')} LIMIT $3
)
SELECT scan.reached, found.* FROM (
  SELECT CASE WHEN count(*) = $3 THEN (array_agg(s.id ${order('s')}))[$3::int] END AS reached FROM scanned s
) scan LEFT JOIN LATERAL (
  SELECT s.created_at, s.id AS place, ${eventColumnsSql}
  FROM (SELECT * FROM scanned v WHERE ${filter} ${order('v')} LIMIT $2) s
  CROSS JOIN LATERAL (SELECT * FROM events e WHERE e.id = s.id OFFSET 0) v ${executionOfSql}
) found ON true
${order('found').replace('found.id', 'found.place')}`;
}

/** Deliveries of earlier events were dropped, so nothing is known about them. */
const isLogged = ` AND v.id >= (
    SELECT month_bound('evt', min(p.month)) FROM month_partitions() p WHERE p.parent = 'deliveries')`;

function missedSql(undelivered: Undelivered | null, endpoint: string): string {
  if (!undelivered) return 'true';
  const delivered = undelivered.to
    ? `SELECT d.state = 'delivered' FROM deliveries d WHERE d.id = delivery_id(v.id, ${endpoint})`
    : `SELECT bool_and(d.state = 'delivered') FROM deliveries d WHERE ${isDeliveryOfEventSql('d', 'v.id')}`;
  return `NOT coalesce((${delivered}), false)`;
}

function conditions(isBehind: '<' | '>'): Condition<EventFilter>[] {
  return [
    { name: 'executionId', sql: 'v.execution_id = ?' },
    { name: 'createdAfter', sql: 'v.created_at > ?' },
    { name: 'createdBefore', sql: 'v.created_at < ?' },
    {
      name: 'cursor',
      sql: `(v.created_at, v.id COLLATE "POSIX") ${isBehind}
        (SELECT c.created_at, c.id FROM events c WHERE c.id = ? AND ${checkedSql('c.organization_id = $1')})`,
    },
  ];
}

const ascending = conditions('>');
const descending = conditions('<');

const wantedConditions: Condition<EventFilter>[] = [
  { name: 'types', sql: 'v.type = ANY (?::text[])' },
  {
    name: 'models',
    sql: `(v.execution_id IS NULL
      OR (SELECT e.model FROM executions e WHERE e.id = v.execution_id) = ANY (?::text[]))`,
  },
  { name: 'notAbout', sql: 'v.endpoint_id IS DISTINCT FROM ?' },
];
