import type { Queryable } from '../client.ts';

/** Executions at a time: a statement of some ten milliseconds. */
const page = 1000;

export type OldMonth = {
  /** Its first day, `2026-11-01`. */
  month: string;
  /** Why it must stay for now; null: it can go. */
  kept: string | null;
};

/** The months that lie wholly before the last `retentionDays` days (30 at least), the oldest first. */
export async function oldMonths(pool: Queryable, retentionDays: number): Promise<OldMonth[]> {
  const { rows } = await pool.query<OldMonth>('SELECT month::text, kept FROM old_months($1::int)', [
    retentionDays,
  ]);
  return rows;
}

/**
 * Takes away what hangs on old executions in the tables that are not cut by month, page by page: attempts and callbacks,
 * idempotency keys. Their output files expire, so that the dispatcher removes them; what it has
 * removed of executions that were dropped is forgotten. Ends early when `isStopped`; what is left is found again.
 */
export async function clearOldMonths(
  pool: Queryable,
  retentionDays: number,
  isStopped: () => boolean = () => false,
): Promise<void> {
  for (const { month, kept } of await oldMonths(pool, retentionDays)) {
    if (kept === null) await clearMonth(pool, { month, retentionDays, isStopped });
  }
  while (!isStopped() && (await forgetFiles(pool, retentionDays)) === page) {
    // The next page.
  }
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
