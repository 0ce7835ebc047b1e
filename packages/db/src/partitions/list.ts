import type { Queryable } from '../client.ts';

export type Partition = {
  name: string;
  table: string;
  /** `2026-11`, UTC. */
  month: string;
  /** With indexes. */
  bytes: number;
  /** As the last ANALYZE found; null before. */
  rows: number | null;
};

/** Every month partition, the oldest first. */
export async function listPartitions(pool: Queryable): Promise<Partition[]> {
  return (await pool.query<Partition>(list)).rows;
}

export type Horizon = {
  /** Whole months after this one whose partitions are there. */
  monthsAhead: number;
  /** Unix seconds of the first month whose executions are kept; null when there is none. */
  oldestS: number | null;
};

export async function readHorizon(pool: Queryable): Promise<Horizon> {
  const { rows } = await pool.query<Horizon>(horizon);
  return rows[0] ?? { monthsAhead: 0, oldestS: null };
}

const list = `
SELECT p.partition AS name, p.parent AS "table", to_char(p.month, 'YYYY-MM') AS month,
  pg_total_relation_size(c.oid)::float8 AS bytes, CASE WHEN c.reltuples >= 0 THEN c.reltuples::float8 END AS rows
FROM month_partitions() p JOIN pg_class c ON c.oid = p.partition::regclass
ORDER BY p.month, p.parent`;

const horizon = `
SELECT count(*) FILTER (WHERE m.month > now() AT TIME ZONE 'UTC' AND m.tables = t.tables)::int AS "monthsAhead",
  extract(epoch FROM min(m.month) FILTER (WHERE m.has_executions))::float8 AS "oldestS"
FROM (
  SELECT month, count(*) AS tables, bool_or(parent = 'executions') AS has_executions
  FROM month_partitions() GROUP BY month
) m, (SELECT count(*) AS tables FROM monthly_tables()) t`;
