import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type Ended, endingStatement } from './ending.ts';

/** -> CANCELLED, hold released; null when it is not this organization's, or has already ended. */
export async function cancelExecution(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Ended | null> {
  const [ended] = await runStatement<Ended>(db.pool, 'cancel_execution', statement, [id, organizationId]);
  return ended ?? null;
}

const statement = endingStatement({
  transition: 'cancel',
  asked: 'SELECT id, status FROM executions WHERE id = $1 AND organization_id = $2 FOR UPDATE',
  set: '',
  among: 'e.id = $1',
});
