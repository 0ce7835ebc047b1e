import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

/** So far ahead by the clock of the database, which all processes share. */
export async function timeFromNow(db: Database, aheadMs: number): Promise<Date> {
  const [row] = await runStatement<{ time: Date }>(db.pool, 'time_from_now', statement, [aheadMs]);
  if (!row) throw new Error('the database told no time');
  return row.time;
}

const statement = `SELECT clock_timestamp() + $1 * interval '1 millisecond' AS time`;
