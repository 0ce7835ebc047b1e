import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Makes a running attempt due to be asked about. False: it isn't running yet, or not any more. */
export async function askNow(db: Database, token: string): Promise<boolean> {
  return (await runStatement(db.pool, 'ask_now', statement, [token])).length > 0;
}

const statement = `
UPDATE attempts SET poll_at = now() WHERE token = $1 AND state = 'running' AND finished_at IS NULL RETURNING id`;
