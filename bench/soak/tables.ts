import type { Database } from '@holdfast/db/client';

/** Those that grow with executions: their rows are counted. */
const counted = [
  'executions',
  'attempts',
  'events',
  'deliveries',
  'delivery_attempts',
  'transfers',
  'idempotency_keys',
  'provider_callbacks',
  'files',
];

/** Bytes of each table and each index, partitions together, rows of those that grow, log and connections of PostgreSQL. */
export async function readTables({ pool }: Database): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const sizes = await pool.query<{ kind: string; name: string; bytes: number }>(sizesStatement);
  for (const { kind, name, bytes } of sizes.rows) values[`${kind} ${name} bytes`] = bytes;
  for (const name of counted) {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::float8 AS count FROM ${name}`);
    values[`table ${name} rows`] = rows[0]?.count ?? 0;
  }
  const others = await pool.query<{ wal: number; connections: number }>(othersStatement);
  values['postgres log bytes'] = others.rows[0]?.wal ?? 0;
  values['postgres connections'] = others.rows[0]?.connections ?? 0;
  return values;
}

const sizesStatement = `
SELECT CASE relkind WHEN 'i' THEN 'index' ELSE 'table' END AS kind,
  coalesce(pg_partition_root(oid), oid)::regclass::text AS name, sum(pg_table_size(oid))::float8 AS bytes
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') GROUP BY 1, 2 ORDER BY 1, 2`;

const othersStatement = `
SELECT (SELECT sum(size) FROM pg_ls_waldir())::float8 AS wal,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::float8 AS connections`;
