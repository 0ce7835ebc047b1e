import type { Execution } from '@holdfast/domain/execution';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { type Condition, givenConditions, idAt, runStatement } from '../statement.ts';
import { executionColumns } from './read.ts';

export type ExecutionSearch = {
  organizationId?: string | undefined;
  status?: ExecutionStatus | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  errorCode?: string | undefined;
  /** A member of the metadata, and its value as text. */
  metadata?: readonly [name: string, value: string] | undefined;
  idempotencyKey?: string | undefined;
  idPrefix?: string | undefined;
  createdAfter: Date;
  createdBefore?: Date | undefined;
  cursor?: string | undefined;
};

/** `reached`: the oldest execution that was looked at when there may be more; null: there are none. */
export type SearchPage = { rows: Execution[]; reached: string | null };

/** Each page looks at this many executions at most, however few of them match. */
export const searchedPerPage = 20_000;

/** Executions of any organization, newest first. What they are filtered by needs no index. */
export async function searchExecutions(
  db: Database,
  search: ExecutionSearch,
  limit: number,
): Promise<SearchPage> {
  const range = await rangeOf(db, search);
  const slice = givenConditions(sliceConditions, range, 2);
  const source = `executions s WHERE s.id >= $1${slice.sql} ORDER BY ${orderOf(search, 's', 's.id COLLATE "POSIX"')}`;
  const values = [range.from, searchedPerPage, ...slice.values];
  const match = givenConditions(matchConditions, search, values.length + 1);
  const text = `SELECT ${executionColumns('e')}
    FROM (SELECT s.*, s.id COLLATE "POSIX" AS sort_id FROM ${source} LIMIT $2) e
    WHERE true${match.sql} ORDER BY ${orderOf(search, 'e', 'e.sort_id')} LIMIT $${values.length + 1}`;
  const name = `search_executions_${slice.key}_${match.key}`;
  const rows = await runStatement<Execution>(db.pool, name, text, [...values, limit, ...match.values]);
  if (rows.length >= limit) return { rows, reached: null };
  const lastText = `SELECT s.id FROM ${source} OFFSET $2 - 1 LIMIT 1`;
  const [last] = await runStatement<{ id: string }>(db.pool, `search_reached_${slice.key}`, lastText, values);
  return { rows, reached: last?.id ?? null };
}

/** Which executions a page looks at. */
type Range = Pick<ExecutionSearch, 'organizationId' | 'createdAfter' | 'createdBefore'> & {
  from: string;
  before: string | undefined;
  ids: string[] | undefined;
  after: string | undefined;
};

/** Clocks of gateways, which make ids, and of the database may differ by this. */
const skewMs = 3_600_000;

async function rangeOf(db: Database, search: ExecutionSearch): Promise<Range> {
  const { idPrefix, idempotencyKey, organizationId, cursor } = search;
  const { createdAfter, createdBefore } = timesOf(search);
  const before = [
    createdBefore && idAt('exec', createdBefore.getTime() + skewMs),
    idPrefix && `${idPrefix}g`,
    organizationId === undefined ? cursor : undefined,
  ].filter((one) => one !== undefined);
  const from = [idAt('exec', createdAfter.getTime() - skewMs), idPrefix ?? ''].sort().at(-1) ?? '';
  const ids =
    idempotencyKey === undefined
      ? undefined
      : await executionsOfKey(db, idempotencyKey, organizationId ?? null);
  const after = organizationId === undefined ? undefined : cursor;
  return { organizationId, createdAfter, createdBefore, from, before: before.sort()[0], ids, after };
}

/**
 * When the executions were created: their ids begin with it. Only with it does the index of an organization's list, which is in
 * order of time, lead to an old id.
 */
function timesOf({ createdAfter, createdBefore, idPrefix }: ExecutionSearch) {
  if (idPrefix === undefined) return { createdAfter, createdBefore };
  const digits = idPrefix.slice('exec_'.length).replaceAll('-', '').slice(0, timeDigits);
  const first = Number.parseInt(digits.padEnd(timeDigits, '0'), 16) - skewMs;
  const last = Number.parseInt(digits.padEnd(timeDigits, 'f'), 16) + skewMs;
  return {
    createdAfter: new Date(Math.max(createdAfter.getTime(), first)),
    createdBefore: new Date(Math.min(createdBefore?.getTime() ?? last, last)),
  };
}

/** Of a UUIDv7, the time in milliseconds. */
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

/** The index of an organization's list is in order of time, the primary key in order of ids. */
function orderOf({ organizationId }: ExecutionSearch, alias: string, sortId: string): string {
  return organizationId === undefined ? `${alias}.id DESC` : `${alias}.created_at DESC, ${sortId} DESC`;
}

const sliceConditions: Condition<Range>[] = [
  { name: 'createdAfter', sql: 's.created_at > ?' },
  { name: 'createdBefore', sql: 's.created_at < ?' },
  { name: 'before', sql: 's.id < ?' },
  { name: 'ids', sql: 's.id = ANY (?::text[])' },
  { name: 'organizationId', sql: 's.organization_id = ?' },
  {
    name: 'after',
    sql: `(s.created_at, s.id COLLATE "POSIX") < (SELECT c.created_at, c.id FROM executions c WHERE c.id = ?)`,
  },
];

const matchConditions: Condition<ExecutionSearch>[] = [
  { name: 'status', sql: 'e.status = ?' },
  { name: 'model', sql: 'e.model = ?' },
  { name: 'errorCode', sql: 'e.error_code = ?' },
  // LIMIT keeps it a look-up for each execution.
  {
    name: 'provider',
    sql: '(SELECT true FROM attempts a WHERE a.execution_id = e.id AND a.provider = ? LIMIT 1)',
  },
  { name: 'metadata', sql: 'e.metadata ->> (?::text[])[1] = (?::text[])[2]' },
];
