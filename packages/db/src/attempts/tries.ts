import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** How often an execution was sent to a provider's model. */
export type Tries = { connection: string; target: string; tries: number };

export async function triesOf(db: Database, executionId: string): Promise<Tries[]> {
  return await runStatement<Tries>(db.pool, 'tries_of', statement, [executionId]);
}

const statement = `
SELECT provider AS connection, target, count(*)::int AS tries FROM attempts WHERE execution_id = $1
GROUP BY provider, target`;
