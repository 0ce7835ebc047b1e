import type pg from 'pg';
import type { Queryable } from '../client.ts';
import { inTransaction } from '../transaction.ts';

export type Dropped = {
  dropped: string[];
  /** Those that are old enough and stay for now, with why. */
  kept: { partition: string; reason: string }[];
};

type Row = { partition: string; kept: string | null };

/**
 * Drops the months of executions, events, deliveries and their attempts that lie wholly before the last `retentionDays` days (30 at
 * least), once `clearOldMonths` has taken away what hangs on them. One month is one transaction.
 */
export async function dropPartitions(pool: Queryable, retentionDays: number): Promise<Dropped> {
  const text = 'SELECT partition, kept FROM drop_partitions($1::int)';
  return await dropMonthByMonth(async () => (await pool.query<Row>(text, [retentionDays])).rows);
}

/** The same of the log of deliveries alone: deliveries and their attempts. Nothing has to be cleared before. */
export async function dropDeliveries(pool: Queryable, retentionDays: number): Promise<Dropped> {
  const text = 'SELECT partition, kept FROM drop_deliveries($1::int)';
  return await dropMonthByMonth(async () => (await pool.query<Row>(text, [retentionDays])).rows);
}

const hourMs = 3_600_000;

/**
 * Drops the journal of months whose executions were dropped; the owner of the tables alone may. Balances stay. All rows
 * of a month are added up before, which may take longer than a statement of a service.
 */
export async function dropJournalPartitions(pool: pg.Pool, retentionDays: number): Promise<Dropped> {
  const text = 'SELECT partition, kept FROM drop_journal_partitions($1::int)';
  return await dropMonthByMonth(() =>
    inTransaction({ pool }, async (client) => {
      await client.query('SET LOCAL statement_timeout = 0');
      const query = { text, values: [retentionDays], query_timeout: hourMs };
      return (await client.query<Row>(query)).rows;
    }),
  );
}

async function dropMonthByMonth(dropNext: () => Promise<Row[]>): Promise<Dropped> {
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
