import { transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type Ended, endingStatement } from './ending.ts';
import { attemptsWithOutcome, markSettled } from './settleable.ts';

/** -> FAILED from the recorded outcomes of these attempts, holds released entirely. */
export async function failExecutions(db: Database, attemptIds: string[]): Promise<Ended[]> {
  return await runStatement<Ended>(db.pool, 'fail_executions', statement, [attemptIds]);
}

const statement = endingStatement({
  transition: 'fail',
  candidates: attemptsWithOutcome(false, transitions.fail.from),
  set: `error_code = c.outcome ->> 'code', error_message = c.outcome ->> 'message'`,
  also: markSettled(false),
});
