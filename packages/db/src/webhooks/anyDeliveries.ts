import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import type { Database } from '../client.ts';
import {
  type Condition,
  firstIdSince,
  givenConditions,
  idAt,
  maxClockDifferenceMs,
  runStatement,
} from '../statement.ts';
import {
  type DeliveryPage,
  type DeliveryRow,
  type DeliveryState,
  deliveryColumnsSql,
  getDelivery,
  isAttemptedSql,
  searchedPerPage,
  shownStateSql,
  withAttempts,
} from './deliveries.ts';
import { dialectOfExecutionSql } from './dialects.ts';
import { makeDue } from './redelivery.ts';

export type AnyDeliveryRow = DeliveryRow & { organizationId: string };

export type DeliverySearch = {
  organizationId?: string | undefined;
  endpointId?: string | undefined;
  states?: readonly DeliveryState[] | undefined;
  eventType?: string | undefined;
  /** Whether the receiver was ever called. */
  isAttempted?: boolean | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  cursor?: string | undefined;
};

type Range = { from?: string | undefined; before?: string | undefined };

type Direction = 'ASC' | 'DESC';

/** The cursor limits the side on which the page begins; an id has the time of its execution, or else of its event. */
function rangeOf(search: DeliverySearch, direction: Direction): Range {
  const { createdAfter, createdBefore, cursor } = search;
  const from = [
    createdAfter && firstIdSince('dlv', createdAfter.getTime()),
    direction === 'ASC' ? cursor && `${cursor}~` : undefined,
  ];
  const before = [
    createdBefore && idAt('dlv', createdBefore.getTime() + maxClockDifferenceMs),
    direction === 'DESC' ? cursor : undefined,
  ];
  const given = (ids: (string | undefined)[]) => ids.filter((id) => id !== undefined).toSorted();
  return { from: given(from).at(-1), before: given(before)[0] };
}

/** By the primary key; what matches is found among the rows of the slice. */
function statementOf(search: DeliverySearch, direction: Direction, columns: string) {
  const slice = givenConditions(sliceConditions, rangeOf(search, direction), 2);
  const match = givenConditions(matchConditions, search, 2 + slice.values.length);
  const source = `deliveries s WHERE true${slice.sql} ORDER BY s.id ${direction}`;
  return {
    key: `${direction.toLowerCase()}_${slice.key}_${match.key}`,
    sql: `SELECT ${columns} FROM (SELECT * FROM ${source} LIMIT $1) d
      CROSS JOIN LATERAL (SELECT * FROM events v WHERE v.id = d.event_id OFFSET 0) e
      WHERE true${match.sql} ORDER BY d.id ${direction} LIMIT $2`,
    reachedSql: `SELECT s.id FROM ${source} OFFSET $1 - 1 LIMIT $2`,
    values: (limit: number) => [searchedPerPage, limit, ...slice.values, ...match.values],
    sliceValues: [searchedPerPage, 1, ...slice.values],
  };
}

const sliceConditions: Condition<Range>[] = [
  { name: 'from', sql: 's.id >= ?' },
  { name: 'before', sql: 's.id < ?' },
];

const matchConditions: Condition<DeliverySearch>[] = [
  { name: 'organizationId', sql: 'd.organization_id = ?' },
  { name: 'endpointId', sql: 'd.endpoint_id = ?' },
  { name: 'states', sql: `${shownStateSql} = ANY (?::text[])` },
  { name: 'eventType', sql: 'e.type = ?' },
  { name: 'isAttempted', sql: `${isAttemptedSql} = ?` },
  { name: 'createdAfter', sql: 'd.created_at >= ?' },
  { name: 'createdBefore', sql: 'd.created_at < ?' },
];

async function searchPage<Row extends { id: string }>(
  db: Database,
  search: DeliverySearch,
  args: { direction: Direction; columns: string; limit: number; name: string },
): Promise<DeliveryPage<Row>> {
  const { direction, columns, limit, name } = args;
  const statement = statementOf(search, direction, columns);
  const rows = await runStatement<Row>(
    db.pool,
    `${name}_${statement.key}`,
    statement.sql,
    statement.values(limit),
  );
  if (rows.length >= limit) return { rows, reached: null };
  const [last] = await runStatement<{ id: string }>(
    db.pool,
    `${name}_reached_${statement.key}`,
    statement.reachedSql,
    statement.sliceValues,
  );
  return { rows, reached: last?.id ?? null };
}

/** Deliveries of any organization, those of the newest executions first. What they are filtered by needs no index. */
export async function searchDeliveries(
  db: Database,
  search: DeliverySearch,
  limit: number,
): Promise<DeliveryPage<AnyDeliveryRow>> {
  const columns = `${deliveryColumnsSql}, d.organization_id AS "organizationId"`;
  const args = { direction: 'DESC', columns, limit, name: 'search_deliveries' } as const;
  const { rows, reached } = await searchPage<AnyDeliveryRow>(db, search, args);
  const organizationOf = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
  const whole = await withAttempts(db, rows);
  return {
    rows: whole.map((row) => ({ ...row, organizationId: organizationOf.get(row.id) ?? '' })),
    reached,
  };
}

export type RecoveredPage = {
  matched: number;
  redelivered: number;
  /** The lanes of due deliveries. */
  lanes: { lane: string; organizationId: string }[];
  /** Where the next page begins; null: this was the last one. */
  next: string | null;
};

type Recoverable = { id: string; lane: string; organizationId: string };

/** Makes the oldest failed and expired deliveries that match due again, at most `limit`. `isTrial`: only counts them. */
export async function recoverMatching(
  db: Database,
  search: Omit<DeliverySearch, 'states'>,
  { limit, isTrial }: { limit: number; isTrial: boolean },
): Promise<RecoveredPage> {
  const columns = 'd.id, d.lane, d.organization_id AS "organizationId"';
  const failed = { ...search, states: ['failed', 'expired'] as const };
  const args = { direction: 'ASC', columns, limit, name: 'recoverable_matching' } as const;
  const { rows, reached } = await searchPage<Recoverable>(db, failed, args);
  const due = new Set(
    isTrial
      ? []
      : await makeDue(
          db,
          rows.map(({ id }) => id),
        ),
  );
  const lanes = new Map(
    rows.filter(({ id }) => due.has(id)).map(({ lane, organizationId }) => [lane, { lane, organizationId }]),
  );
  const next = rows.length >= limit ? (rows.at(-1)?.id ?? null) : reached;
  return { matched: rows.length, redelivered: due.size, lanes: [...lanes.values()], next };
}

export type WholeDelivery = AnyDeliveryRow & {
  eventCreatedAt: Date;
  /** The event in full, as fan-out fixed it; null: it was erased. */
  body: string | null;
  /** Whether its endpoint receives only ids and status, and in whose dialect. */
  isThin: boolean;
  endpointDialect: string | null;
  dialect: WebhookDialect | null;
};

export async function getAnyDelivery(db: Database, id: string): Promise<WholeDelivery | null> {
  type Row = Pick<
    WholeDelivery,
    'organizationId' | 'eventCreatedAt' | 'body' | 'isThin' | 'endpointDialect' | 'dialect'
  >;
  const [row] = await runStatement<Row>(db.pool, 'get_any_delivery', wholeSql, [id]);
  const delivery = row && (await getDelivery(db, row.organizationId, id));
  return row && delivery ? { ...delivery, ...row } : null;
}

const wholeSql = `SELECT d.organization_id AS "organizationId", v.created_at AS "eventCreatedAt", v.body,
    coalesce(w.payload = 'thin', false) AS "isThin", w.dialect AS "endpointDialect",
    ${dialectOfExecutionSql('w.dialect', 'v.execution_id')} AS dialect
  FROM deliveries d JOIN events v ON v.id = d.event_id LEFT JOIN webhook_endpoints w ON w.id = d.endpoint_id
  WHERE d.id = $1`;
