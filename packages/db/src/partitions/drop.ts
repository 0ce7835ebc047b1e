import type { Queryable } from '../client.ts';

export type Dropped = {
  dropped: string[];
  /** Those that are old enough and stay for now, with why. */
  kept: { partition: string; reason: string }[];
};

type Row = { partition: string; kept: string | null };

/**
 * Drops the months of executions, events and deliveries that lie wholly before the last `retentionDays` days (30 at
 * least), once `clearOldMonths` has taken away what hangs on them. One month is one transaction.
 */
export async function dropPartitions(pool: Queryable, retentionDays: number): Promise<Dropped> {
  return await dropMonthByMonth(pool, 'SELECT partition, kept FROM drop_partitions($1::int)', retentionDays);
}

/** Drops the journal of months whose executions were dropped; the owner of the tables alone may. Balances stay. */
export async function dropJournalPartitions(pool: Queryable, retentionDays: number): Promise<Dropped> {
  return await dropMonthByMonth(
    pool,
    'SELECT partition, kept FROM drop_journal_partitions($1::int)',
    retentionDays,
  );
}

async function dropMonthByMonth(pool: Queryable, text: string, retentionDays: number): Promise<Dropped> {
  const dropped: string[] = [];
  for (;;) {
    const { rows } = await pool.query<Row>(text, [retentionDays]);
    const gone = rows.filter(({ kept }) => kept === null);
    dropped.push(...gone.map(({ partition }) => partition));
    const kept = rows.flatMap(({ partition, kept: reason }) =>
      reason === null ? [] : [{ partition, reason }],
    );
    if (gone.length === 0) return { dropped, kept };
  }
}
