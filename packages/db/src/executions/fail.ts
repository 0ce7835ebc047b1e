import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import { type Ended, endingStatement } from './ending.ts';
import { markSettled, settleable } from './settleable.ts';

/** -> FAILED from the recorded outcomes of these attempts, holds released entirely. */
export async function failExecutions(db: Database, attemptIds: string[]): Promise<Ended[]> {
  return await runStatement<Ended>(db.pool, 'fail_executions', statement, [
    attemptIds,
    firstId('exec', attemptIds),
  ]);
}

const statement = endingStatement({
  transition: 'fail',
  first: settleable(false),
  asked: 'SELECT h.id, h.status, o.outcome FROM held h JOIN outcome o USING (id)',
  set: `error_code = c.outcome ->> 'code', error_message = c.outcome ->> 'message'`,
  among: 'e.id >= $2',
  also: markSettled(false),
});
