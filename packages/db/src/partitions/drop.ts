import type { Queryable } from '../client.ts';

export type Dropped = {
  dropped: string[];
  /** Those that are old enough and stay for now, with why. */
  kept: { partition: string; reason: string }[];
};

type Row = { partition: string; kept: string | null };

/**
 * Drops the months of executions, events and deliveries that lie wholly before the last `retentionDays` days (30 at
 * least), once `clearOldMonths` has taken away what hangs on them.
 */
export async function dropPartitions(pool: Queryable, retentionDays: number): Promise<Dropped> {
  const { rows } = await pool.query<Row>('SELECT partition, kept FROM drop_partitions($1::int)', [
    retentionDays,
  ]);
  return toDropped(rows);
}

/** Drops the journal of months whose executions were dropped; the owner of the tables alone may. Balances stay. */
export async function dropJournalPartitions(pool: Queryable, retentionDays: number): Promise<Dropped> {
  const { rows } = await pool.query<Row>('SELECT partition, kept FROM drop_journal_partitions($1::int)', [
    retentionDays,
  ]);
  return toDropped(rows);
}

function toDropped(rows: Row[]): Dropped {
  return {
    dropped: rows.filter(({ kept }) => kept === null).map(({ partition }) => partition),
    kept: rows.flatMap(({ partition, kept }) => (kept === null ? [] : [{ partition, reason: kept }])),
  };
}
