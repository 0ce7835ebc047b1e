import type { Queryable } from '../client.ts';
import { oldMonths } from './clear.ts';
import { listPartitions, type Partition } from './list.ts';

/** A partition that is older than the retention; `kept` is why it would stay, null when it would go. */
export type Planned = Partition & { kept: string | null };

/**
 * What dropping by `retentionDays` (30 at least) would drop now and what it would keep, the oldest first; nothing is
 * changed. A month of the journal goes with its executions or after them, never before.
 */
export async function planDrop(
  pool: Queryable,
  retentionDays: number,
  includingJournal: boolean,
): Promise<Planned[]> {
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
