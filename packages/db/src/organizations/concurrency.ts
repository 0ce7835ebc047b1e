import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** How many runs at once each organization may have that has a limit of its own, by its id. */
export async function concurrencyLimits(db: Database): Promise<Map<string, number>> {
  type Row = { id: string; max_concurrency: number };
  const rows = await runStatement<Row>(db.pool, 'concurrency_limits', statement, []);
  return new Map(rows.map((row) => [row.id, row.max_concurrency]));
}

const statement = `SELECT id, max_concurrency FROM organizations WHERE max_concurrency IS NOT NULL`;
