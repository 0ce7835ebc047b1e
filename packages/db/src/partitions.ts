import type pg from 'pg';
import type { Queryable } from './client.ts';
import { inTransaction } from './statement.ts';

const page = 1000;

export type OldMonth = {
  month: string;
  kept: string | null;
};

/** Months wholly before the last `retentionDays` days (at least 30), oldest first. */
async function oldMonths(pool: Queryable, retentionDays: number): Promise<OldMonth[]> {
  const { rows } = await pool.query<OldMonth>('SELECT month::text, kept FROM old_months($1::int)', [
    retentionDays,
  ]);
  return rows;
}

/** Clears old rows in tables without partitions; outputs expire. The next call continues after a stop. */
export async function clearOldMonths(
  pool: Queryable,
  retentionDays: number,
  isStopped: () => boolean = () => false,
): Promise<void> {
  for (const { month, kept } of await oldMonths(pool, retentionDays)) {
    if (kept === null) await clearMonth(pool, { month, retentionDays, isStopped });
  }
  while (!isStopped() && (await forgetFiles(pool, retentionDays)) === page) {}
}

async function clearMonth(
  pool: Queryable,
  args: { month: string; retentionDays: number; isStopped: () => boolean },
): Promise<void> {
  let last: string | null = '';
  while (last !== null && !args.isStopped()) {
    const { rows }: { rows: { last: string | null }[] } = await pool.query(
      'SELECT clear_month($1::date, $2::int, $3, $4::int) AS last',
      [args.month, args.retentionDays, last, page],
    );
    last = rows[0]?.last ?? null;
  }
}

async function forgetFiles(pool: Queryable, retentionDays: number): Promise<number> {
  const { rows } = await pool.query<{ files: number }>('SELECT forget_files($1::int, $2::int) AS files', [
    retentionDays,
    page,
  ]);
  return rows[0]?.files ?? 0;
}

export type DropResult = {
  dropped: string[];
  kept: { partition: string; reason: string }[];
};

type Row = { partition: string; kept: string | null };

/** Drops cleared months beyond `retentionDays` (at least 30), each in one transaction. */
export async function dropPartitions(pool: Queryable, retentionDays: number): Promise<DropResult> {
  const text = 'SELECT partition, kept FROM drop_partitions($1::int)';
  return await dropMonthByMonth(async () => (await pool.query<Row>(text, [retentionDays])).rows);
}

export async function dropDeliveries(pool: Queryable, retentionDays: number): Promise<DropResult> {
  const text = 'SELECT partition, kept FROM drop_deliveries($1::int)';
  return await dropMonthByMonth(async () => (await pool.query<Row>(text, [retentionDays])).rows);
}

const hourMs = 3_600_000;

/** Drops journal months whose executions are gone, for the owner of the tables. Balances stay. */
export async function dropJournalPartitions(pool: pg.Pool, retentionDays: number): Promise<DropResult> {
  const text = 'SELECT partition, kept FROM drop_journal_partitions($1::int)';
  return await dropMonthByMonth(() =>
    inTransaction({ pool }, async (client) => {
      await client.query('SET LOCAL statement_timeout = 0');
      const query = { text, values: [retentionDays], query_timeout: hourMs };
      return (await client.query<Row>(query)).rows;
    }),
  );
}

async function dropMonthByMonth(dropNext: () => Promise<Row[]>): Promise<DropResult> {
  const dropped: string[] = [];
  for (;;) {
    const rows = await dropNext();
    const gone = rows.filter(({ kept }) => kept === null);
    dropped.push(...gone.map(({ partition }) => partition));
    const kept = rows.flatMap(({ partition, kept: reason }) =>
      reason === null ? [] : [{ partition, reason }],
    );
    if (gone.length === 0) return { dropped, kept };
  }
}

export type Partition = {
  name: string;
  table: string;
  month: string;
  bytes: number;
  rows: number | null;
};

export async function listPartitions(pool: Queryable): Promise<Partition[]> {
  return (await pool.query<Partition>(list)).rows;
}

export type Horizon = {
  monthsAhead: number;
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

/** Leaves time to notice that partitions are not being created. */
export const monthsAhead = 3;

/** Creates missing partitions up to `months` ahead and returns their names; concurrent callers take turns. */
export async function makePartitions(pool: Queryable, months: number = monthsAhead): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT make_partitions($1::int) AS name', [months]);
  return rows.map(({ name }) => name);
}

/** `kept`: why it would stay; null: it would be dropped. */
export type PlannedDrop = Partition & { kept: string | null };

/** A dry run of dropping, oldest first. A journal month goes with its executions or later. */
export async function planDrop(
  pool: Queryable,
  retentionDays: number,
  includingJournal: boolean,
): Promise<PlannedDrop[]> {
  const months = new Map(
    (await oldMonths(pool, retentionDays)).map(({ month, kept }) => [month.slice(0, 7), kept]),
  );
  const { rows } = await pool.query<{ month: string }>(firstKept, [retentionDays]);
  const old = (await listPartitions(pool)).filter(({ month }) => month < (rows[0]?.month ?? ''));
  return old.flatMap((partition) => {
    if (partition.table === 'transfers' && !includingJournal) return [];
    return [{ ...partition, kept: months.get(partition.month) ?? null }];
  });
}

const firstKept = `
SELECT to_char(date_trunc('month', now() AT TIME ZONE 'UTC' - make_interval(days => $1::int)), 'YYYY-MM') AS month`;
