import type { IdPrefix } from '@holdfast/domain/ids';
import type { PoolClient, QueryResultRow } from 'pg';
import { withBinaryArrays } from './binaryArrays.ts';
import type { Database, Queryable } from './client.ts';

/** Runs a statement that is prepared once per connection under `name`. Batches pass one array per column. */
export async function runStatement<Row extends QueryResultRow>(
  db: Queryable,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await db.query<Row>({ name, text, values: withBinaryArrays(text, values) });
  return rows;
}

export async function inTransaction<Result>(
  db: Pick<Database, 'pool'>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    );
    throw error;
  }
}

/** For `LIKE`: the text itself, without wildcards. */
export const literally = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

export type Condition<Filter> = { name: keyof Filter; sql: string };

/** Conditions after `taken` parameters; `key` names the combination, a prepared statement each. */
export function givenConditions<Filter>(conditions: Condition<Filter>[], filter: Filter, taken: number) {
  const given = conditions.filter(({ name }) => filter[name] !== undefined);
  return {
    key: conditions.map((one) => (given.includes(one) ? '1' : '0')).join(''),
    sql: given.map(({ sql }, index) => ` AND ${sql.replaceAll('?', `$${taken + 1 + index}`)}`).join(''),
    values: given.map(({ name }) => filter[name]),
  };
}

export async function timeFromNow(db: Database, aheadMs: number): Promise<Date> {
  const [row] = await runStatement<{ time: Date }>(db.pool, 'time_from_now', statement, [aheadMs]);
  if (!row) throw new Error('the database returned no time');
  return row.time;
}

const statement = `SELECT clock_timestamp() + $1 * interval '1 millisecond' AS time`;

const escapes = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g;

/** JSON that PostgreSQL can read: see `withoutBadEscapes`. */
export function storableJson(value: unknown): string {
  return withoutBadEscapes(JSON.stringify(value));
}

/** NUL and lone surrogates, which would fail a whole batch, become U+FFFD. Most texts have none, and stay as they are. */
export function withoutBadEscapes(json: string): string {
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replace(escapes, (escape) => (escape.length > 2 ? '\\ufffd' : escape));
}

/** Text without NUL, which PostgreSQL refuses along with the whole batch. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '');
}

/**
 * A condition on rows that are found by their key, hidden from the planner: it could choose a partial index, or one that
 * begins with another column, and read all of it when it believes that the table is empty.
 */
export function checkedSql(condition: string): string {
  return `CASE WHEN ${condition} THEN true END`;
}

/**
 * Joins the updated table by its key. Unlike `=`, a range leaves the planner no choice but one look-up for each row, in
 * the order of the rows, which is the order of the locks.
 */
export function hasKeySql(column: string, key: string): string {
  return `${column} >= ${key} AND ${column} <= ${key}`;
}

/** Gateways make the ids, by clocks that may differ from the database's by up to this: one that is further off is not ready. */
export const maxClockDifferenceMs = 3_600_000;

const dayMs = 86_400_000;
const marginMs = 3 * dayMs;

/**
 * The lowest id these can have (UUIDv7s carry their time): `id >= $2` lets PostgreSQL skip earlier partitions, `ANY`
 * does not. No upper bound: without statistics a range would look cheaper to the planner than the ids.
 */
export function firstId(prefix: IdPrefix, ids: readonly string[]): string {
  return firstIdSince(prefix, Math.min(...ids.map(timeOf)));
}

/** As `firstId`, for rows created at this Unix time (ms) or later. */
export function firstIdSince(prefix: IdPrefix, timeMs: number): string {
  const first = timeMs - marginMs;
  return Number.isFinite(first) && first > 0 ? `${prefix}_${shown(first)}` : `${prefix}_`;
}

/** The lowest id of this Unix time (ms). */
export function idAt(prefix: IdPrefix, timeMs: number): string {
  return `${prefix}_${shown(Math.max(0, timeMs))}`;
}

function timeOf(id: string): number {
  const start = id.indexOf('_') + 1;
  return Number.parseInt(id.slice(start, start + 8) + id.slice(start + 9, start + 13), 16);
}

function shown(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * Finds the row with this id by the primary key. In an empty table, for which a plan may have been made, `id = x` looks as
 * cheap by any index that contains the id; only the primary key has the order. `LIMIT` keeps it out of the query around it.
 */
export const sameIdSql = (id: string) => `id >= ${id} AND id <= ${id} ORDER BY id LIMIT 1`;
