import type { Database } from '@holdfast/db/client';
import { statementCount } from './flags.ts';

/** Also tracks statements inside functions and triggers. */
export const settingsForStatements = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
};

export type Statement = {
  total_ms: number;
  calls: number;
  mean_ms: number;
  rows: number;
  /** Called by a function or a trigger, and contained in its time. */
  is_nested: boolean;
  query: string;
};

export async function resetStatements(db: Database): Promise<void> {
  await db.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await db.pool.query('SELECT pg_stat_statements_reset()');
}

export async function longestStatements(db: Database): Promise<Statement[]> {
  const { rows } = await db.pool.query<Statement>(longest, [statementCount]);
  return rows;
}

export function statementTable(statements: readonly Statement[]): string {
  const lines = statements.map(({ total_ms, calls, mean_ms, rows, is_nested, query }) => {
    const figures = [total_ms, calls, mean_ms, rows].map((figure) => String(figure).padStart(10)).join('');
    return `${figures}  ${is_nested ? '> ' : ''}${query.slice(0, 110)}`;
  });
  const titles = ['total ms', 'calls', 'mean ms', 'rows'].map((title) => title.padStart(10)).join('');
  return [titles, ...lines].join('\n');
}

/** All that the server has written to its log so far, in bytes. */
export async function walBytes(db: Database): Promise<number> {
  const query = `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`;
  const { rows } = await db.pool.query<{ bytes: number }>(query);
  return rows[0]?.bytes ?? Number.NaN;
}

const longest = `
SELECT round(total_exec_time::numeric, 1)::float8 AS total_ms, calls::int, round(mean_exec_time::numeric, 3)::float8 AS mean_ms,
  rows::int, NOT toplevel AS is_nested, left(regexp_replace(query, '\\s+', ' ', 'g'), 400) AS query
FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY total_exec_time DESC LIMIT $1`;

const names = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'wal_compression',
  'shared_buffers',
  'max_wal_size',
];

/** How the server that was measured is set up, durability above all. */
export async function postgresSettings(db: Database): Promise<Record<string, string>> {
  const query = 'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name';
  const { rows } = await db.pool.query<{ name: string; value: string }>(query, [names]);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
