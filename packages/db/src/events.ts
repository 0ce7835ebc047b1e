import type { EventType } from '@holdfast/domain/events';
import type { Execution } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import type { Database } from './client.ts';
import { executionColumns } from './executions/read.ts';
import { eventIdsOfExecutionSql, isDeliveryOfEventSql } from './executions/watch.ts';
import { type Page, pageSql } from './pages.ts';
import { type Condition, checkedSql, givenConditions, runStatement, sameIdSql } from './statement.ts';

type Known = {
  eventId: string;
  eventCreatedAt: Date;
  executionId: string | null;
};

/** With the body as it was delivered, or with the execution (its id is `id`) from which to render it. */
export type EventRow = Known & ({ body: string } | ({ body: null; eventType: EventType } & Reported));

/** `isTruncated`: the event has no room for the output, which is null here. */
type Reported = Execution & { isTruncated: boolean | null };

const fits = `x.bytes <= ${limits.webhookBodyBytes}`;

const eventColumnsSql = `v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", v.body,
  v.execution_id AS "executionId", NOT ${fits} AS "isTruncated",
  ${executionColumns('x', `CASE WHEN ${fits} THEN x.output END`)}`;

/** `bytes`: of the output that the event reports. `OFFSET 0` keeps the planner on the look-up by id. */
const executionOfSql = `LEFT JOIN LATERAL (
    SELECT *, octet_length(CASE v.type WHEN 'execution.completed' THEN e.output::text END) AS bytes
    FROM executions e WHERE v.body IS NULL AND e.id = v.execution_id OFFSET 0
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

const maxScanned = 5000;

/** At most `limit` events in order of time. A filtered page may be short although more events follow. */
export async function listEvents(
  db: Database,
  organizationId: string,
  args: { filter: EventFilter; undelivered: Undelivered | null; isAscending: boolean; limit: number },
): Promise<Page<EventRow>> {
  const { filter, undelivered, isAscending, limit } = args;
  // Filters with a look-up per event run on the scanned ones only.
  const isFiltered = undelivered !== null || filter.models !== undefined;
  const given = givenConditions(isAscending ? ascending : descending, filter, 3);
  const wanted = givenConditions(wantedConditions, filter, 3 + given.values.length);
  const scanned = isFiltered ? maxScanned : limit + 1;
  const values = [organizationId, limit, scanned, ...given.values, ...wanted.values];
  if (undelivered?.to) values.push(undelivered.to);
  const direction = isAscending ? 'ASC' : 'DESC';
  const order = `ORDER BY v.created_at ${direction}, v.id COLLATE "POSIX" ${direction}`;
  const source = filter.executionId === undefined ? 'events' : eventsOfExecution;
  const where = given.sql + (undelivered ? isLogged : '') + (isFiltered ? '' : wanted.sql);
  const kept = missedSql(undelivered, `$${values.length}`) + (isFiltered ? wanted.sql : '');
  const kind = undelivered ? (undelivered.to ? 'missed' : 'undelivered') : 'all';
  const name = `list_events_${kind}_${direction}_${given.key}${wanted.key}`;
  const page = {
    scanned: `SELECT v.id, v.created_at, v.type, v.execution_id, v.endpoint_id, v.batch_id FROM ${source} v
      WHERE v.organization_id = $1${where} ${order} LIMIT $3`,
    ids: `SELECT v.id FROM scanned v WHERE ${kept} ${order}`,
    limit: '$2',
    reached: `(SELECT v.id FROM scanned v ${order} OFFSET $3 - 1 LIMIT 1)`,
  };
  return await readEventPage(db, name, page, values);
}

const eventsOfExecution = `(SELECT * FROM events WHERE id IN (${eventIdsOfExecutionSql('$4')}) OFFSET 0)`;

/** The events with the first ids of the query `ids`, which reads `scanned`. After the last of them, more may follow `reached`. */
export async function readEventPage(
  db: Database,
  name: string,
  page: { scanned: string; ids: string; limit: string; reached?: string },
  values: unknown[],
): Promise<Page<EventRow>> {
  const { scanned, ids, limit, reached = 'NULL' } = page;
  const text = `WITH RECURSIVE scanned AS MATERIALIZED (${scanned}), ${pageSql({ ids, limit, bytes: bytesSql })}
    SELECT coalesce(p.next, ${reached}) AS next, ${eventColumnsSql}
    FROM page p LEFT JOIN LATERAL ${eventSql('p.id')} ON true ${executionOfSql} ORDER BY p.nth`;
  const rows = await runStatement<EventRow & { next: string | null }>(db.pool, name, text, values);
  return { rows: rows.filter(({ eventId }) => eventId !== null), next: rows.at(-1)?.next ?? null };
}

const eventSql = (id: string) => `(SELECT * FROM events e WHERE ${sameIdSql(id)}) v`;

/** A truncated event counts like the largest other one, so that few outputs are read for nothing. */
const bytesSql = (id: string) => `(
  SELECT least(coalesce(octet_length(v.body), x.bytes), ${limits.webhookBodyBytes})
  FROM ${eventSql(id)} ${executionOfSql})`;

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
    sql: `(v.endpoint_id IS NOT NULL
      OR (SELECT e.model FROM executions e WHERE e.id = v.execution_id) = ANY (?::text[]))`,
  },
  { name: 'notAbout', sql: 'v.endpoint_id IS DISTINCT FROM ?' },
];
