import type { Execution } from '@holdfast/domain/execution';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { type Page, pageSql } from '../pages.ts';
import {
  type Condition,
  checkedSql,
  givenConditions,
  idAt,
  maxClockDifferenceMs,
  runStatement,
  sameIdSql,
} from '../statement.ts';
import { executionColumns, outputBytesSql } from './read.ts';

export type ExecutionSearch = {
  organizationId?: string | undefined;
  statuses?: readonly ExecutionStatus[] | undefined;
  model?: string | undefined;
  models?: readonly string[] | undefined;
  provider?: string | undefined;
  errorCode?: string | undefined;
  errorCodes?: readonly string[] | undefined;
  /** A member of the metadata, and its value as text. */
  metadata?: readonly [name: string, value: string] | undefined;
  idempotencyKey?: string | undefined;
  ids?: readonly string[] | undefined;
  idPrefix?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  cursor?: string | undefined;
};

/** `searchedUntil`: when the oldest execution that was looked at was created, if the page ends there and not with a row. */
export type SearchPage = Page<Execution> & { searchedUntil: Date | null };

/**
 * Each page looks at this many executions at most, however few of them match: of an operator's search, of a client's list, and
 * of a client's search by metadata, which is often for a single execution.
 */
export const searchedPerPage = { operator: 10_000, client: 1000, metadata: 10_000 };

type Row = Execution & { next: string | null; searchedUntil: Date | null };

/** Executions of any organization, newest first. Among the filters only failures have an index. */
export async function searchExecutions(
  db: Database,
  search: ExecutionSearch,
  limit: number,
  searched: number,
): Promise<SearchPage> {
  const { from, slice: wanted } = await sliceOf(db, search);
  const slice = givenConditions(sliceConditions, wanted, 3);
  const match = givenConditions(matchConditions, search, 3 + slice.values.length);
  // In the order of the rows read, and no further than needed.
  const ids = `SELECT e.id FROM seen e WHERE true${match.sql}`;
  const text = `WITH RECURSIVE seen AS MATERIALIZED (
      SELECT s.id, s.created_at, s.status, s.model, s.error_code, s.metadata FROM executions s
      WHERE s.id >= $1${slice.sql} ORDER BY ${orderOf(wanted)} LIMIT $2
    ), ${pageSql({ ids, limit: '$3', bytes: outputBytesSql })}, reached AS (
      SELECT id, created_at FROM seen WHERE (SELECT next FROM page ORDER BY nth DESC LIMIT 1) IS NULL OFFSET $2 - 1 LIMIT 1
    )
    SELECT whole.*, coalesce(p.next, reached.id) AS next, reached.created_at AS "searchedUntil"
    FROM page p LEFT JOIN reached ON true
      LEFT JOIN LATERAL (SELECT ${executionColumns('e')} FROM executions e WHERE ${sameIdSql('p.id')}) whole ON true
    ORDER BY p.nth`;
  const name = `search_executions_${slice.key}_${match.key}`;
  const values = [from, searched, limit, ...slice.values, ...match.values];
  const found = await runStatement<Row>(db.pool, name, text, values);
  const last = found.at(-1);
  return {
    rows: found.filter(({ id }) => id !== null),
    next: last?.next ?? null,
    searchedUntil: last?.searchedUntil ?? null,
  };
}

/** The same without their rows: ids of an organization's executions. */
export async function searchIds(
  db: Database,
  search: ExecutionSearch & { organizationId: string },
  limit: number,
  searched: number,
): Promise<{ ids: string[]; next: string | null }> {
  const { from, slice: wanted } = await sliceOf(db, search);
  const slice = givenConditions(sliceConditions, wanted, 3);
  const match = givenConditions(matchConditions, search, 3 + slice.values.length);
  const text = `WITH seen AS MATERIALIZED (
      SELECT s.id, s.created_at, s.status, s.model, s.error_code, s.metadata FROM executions s
      WHERE s.id >= $1${slice.sql} ORDER BY ${orderOf(wanted)} LIMIT $2
    ), matching AS (SELECT ARRAY (SELECT e.id FROM seen e WHERE true${match.sql} LIMIT $3) AS ids)
    SELECT ids, coalesce(CASE WHEN cardinality(ids) = $3 THEN ids[$3] END, (SELECT id FROM seen OFFSET $2 - 1 LIMIT 1)) AS next
    FROM matching`;
  const values = [from, searched, limit, ...slice.values, ...match.values];
  const name = `search_ids_${slice.key}_${match.key}`;
  const [found] = await runStatement<{ ids: string[]; next: string | null }>(db.pool, name, text, values);
  return found ?? { ids: [], next: null };
}

/**
 * Which executions a page looks at, newest first: by the primary key, by the index of failures, or by an organization's
 * index.
 */
type Slice = {
  before: string | undefined;
  ids: readonly string[] | undefined;
  failuresFrom: string | undefined;
  failuresBefore: string | undefined;
  organizationId: string | undefined;
  createdAfter: Date | undefined;
  createdBefore: Date | undefined;
  /** The cursor and the organization, whose execution it is. */
  after: [cursor: string, organizationId: string] | undefined;
};

async function sliceOf(db: Database, search: ExecutionSearch): Promise<{ from: string; slice: Slice }> {
  const { idPrefix, idempotencyKey, organizationId, cursor, ids } = search;
  const { createdAfter, createdBefore } = timesOf(search);
  const isOwn = organizationId !== undefined;
  const ends = [
    createdBefore && idAt('exec', createdBefore.getTime() + maxClockDifferenceMs),
    idPrefix && `${idPrefix}g`,
    isOwn ? undefined : cursor,
  ];
  const before = ends.filter((one) => one !== undefined).sort()[0];
  const from =
    [idAt('exec', (createdAfter?.getTime() ?? 0) - maxClockDifferenceMs), idPrefix ?? ''].sort().at(-1) ?? '';
  const isOfFailures = !isOwn && (search.errorCode !== undefined || areFailures(search.statuses));
  const slice: Slice = {
    before,
    ids:
      idempotencyKey === undefined ? ids : await executionsOfKey(db, idempotencyKey, organizationId ?? null),
    failuresFrom: isOfFailures ? from : undefined,
    failuresBefore: isOfFailures ? before : undefined,
    organizationId,
    createdAfter: isOwn ? createdAfter : undefined,
    createdBefore: isOwn ? createdBefore : undefined,
    after: isOwn && cursor !== undefined ? [cursor, organizationId] : undefined,
  };
  return { from, slice };
}

/** Those with an error, by a constraint. */
const areFailures = (statuses: readonly ExecutionStatus[] | undefined) =>
  statuses?.every((status) => status === 'FAILED' || status === 'EXPIRED') ?? false;

/**
 * When the executions were created: their ids begin with it. Only with it does the index of an organization's list, which is in
 * order of time, lead to an old id.
 */
function timesOf({ createdAfter, createdBefore, idPrefix }: ExecutionSearch) {
  if (idPrefix === undefined) return { createdAfter, createdBefore };
  const digits = idPrefix.slice('exec_'.length).replaceAll('-', '').slice(0, timeDigits);
  const first = Number.parseInt(digits.padEnd(timeDigits, '0'), 16) - maxClockDifferenceMs;
  const last = Number.parseInt(digits.padEnd(timeDigits, 'f'), 16) + maxClockDifferenceMs;
  return {
    createdAfter: new Date(Math.max(createdAfter?.getTime() ?? first, first)),
    createdBefore: new Date(Math.min(createdBefore?.getTime() ?? last, last)),
  };
}

/** A UUIDv7 begins with its time in milliseconds. */
const timeDigits = 12;

/** One look-up for each organization: keys are unique within one. */
async function executionsOfKey(db: Database, key: string, organizationId: string | null): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'executions_of_key', keySql, [
    key,
    organizationId,
  ]);
  return rows.map(({ id }) => id);
}

const keySql = `SELECT k.execution_id AS id FROM organizations o CROSS JOIN LATERAL (
    SELECT execution_id FROM idempotency_keys WHERE organization_id = o.id AND key = $1 OFFSET 0
  ) k WHERE $2::text IS NULL OR o.id = $2 LIMIT 100`;

/** The order of the index that leads to the slice. No other has it, so the planner takes no other. */
function orderOf({ organizationId, failuresFrom }: Slice): string {
  if (organizationId !== undefined) return 's.created_at DESC, s.id COLLATE "POSIX" DESC';
  return failuresFrom === undefined ? 's.id DESC' : 's.id COLLATE "POSIX" DESC';
}

const sliceConditions: Condition<Slice>[] = [
  { name: 'before', sql: 's.id < ?' },
  { name: 'ids', sql: 's.id = ANY (?::text[])' },
  { name: 'failuresFrom', sql: 's.error_code IS NOT NULL AND s.id COLLATE "POSIX" >= ?' },
  { name: 'failuresBefore', sql: 's.id COLLATE "POSIX" < ?' },
  { name: 'organizationId', sql: 's.organization_id = ?' },
  { name: 'createdAfter', sql: 's.created_at > ?' },
  { name: 'createdBefore', sql: 's.created_at < ?' },
  {
    name: 'after',
    sql: `(s.created_at, s.id COLLATE "POSIX") < (SELECT c.created_at, c.id FROM executions c
      WHERE c.id = (?::text[])[1] AND ${checkedSql('c.organization_id = (?::text[])[2]')})`,
  },
];

const matchConditions: Condition<ExecutionSearch>[] = [
  { name: 'createdAfter', sql: 'e.created_at > ?' },
  { name: 'createdBefore', sql: 'e.created_at < ?' },
  { name: 'statuses', sql: 'e.status = ANY (?::text[])' },
  { name: 'model', sql: 'e.model = ?' },
  { name: 'models', sql: 'e.model = ANY (?::text[])' },
  { name: 'errorCode', sql: 'e.error_code = ?' },
  { name: 'errorCodes', sql: 'e.error_code = ANY (?::text[])' },
  // LIMIT keeps it a look-up for each execution.
  {
    name: 'provider',
    sql: '(SELECT true FROM attempts a WHERE a.execution_id = e.id AND a.provider = ? LIMIT 1)',
  },
  { name: 'metadata', sql: 'e.metadata ->> (?::text[])[1] = (?::text[])[2]' },
];
