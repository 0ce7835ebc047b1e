import type { Database } from './client.ts';
import { maxClockDifferenceMs } from './statement.ts';

export type ServerFacts = {
  version: string;
  versionNumber: number;
  /** The server's clock (Unix ms), read in the middle of `askedMs`. */
  timeMs: number;
  askedMs: { from: number; to: number };
};

export async function readServerFacts(db: Database): Promise<ServerFacts> {
  type Row = { version: string; versionNumber: number; timeMs: number };
  const { rows } = await db.pool.query<Row>(facts);
  // A second query: the first one may have waited for a connection.
  const from = Date.now();
  const second = await db.pool.query<Row>(facts);
  const askedMs = { from, to: Date.now() };
  const row = second.rows[0] ?? rows[0];
  if (!row) throw new Error('the database returned no facts');
  return { ...row, askedMs };
}

const facts = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS "versionNumber",
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "timeMs"`;

/** The locale by which the database compares text; null: one that compares bytes, as C.UTF-8 does too. */
export async function readLocale(db: Database): Promise<string | null> {
  const { rows } = await db.pool.query<{ locale: string | null }>(locale);
  return rows[0]?.locale ?? null;
}

// Not all versions have all columns.
const locale = `SELECT CASE WHEN provider = 'b' OR (provider = 'c' AND datcollate ~ '^(C|POSIX)([.]|$)') THEN NULL
    WHEN provider = 'i' THEN 'ICU' ELSE datcollate END AS locale
  FROM pg_database AS d, coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') AS provider WHERE datname = current_database()`;

export async function ping(db: Database): Promise<null> {
  await db.pool.query('SELECT 1');
  return null;
}

/**
 * Null, or why this machine must not make ids: they have its time, and statements look for rows in the months around the
 * database's time.
 */
export async function clockProblem(db: Database): Promise<string | null> {
  const { timeMs, askedMs } = await readServerFacts(db);
  const differenceMs = Math.abs(askedMs.to - timeMs);
  if (differenceMs < maxClockDifferenceMs) return null;
  return `this machine's clock is ${Math.round(differenceMs / 60_000)} minutes off the database's: set it by NTP`;
}
