import { transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type Ended, endingStatement } from './ending.ts';
import { attemptsWithOutcome, markSettled } from './settleable.ts';

/** -> COMPLETED from the recorded outcomes of these attempts, holds settled to the actual cost. */
export async function completeExecutions(db: Database, attemptIds: string[]): Promise<Ended[]> {
  return await runStatement<Ended>(db.pool, 'complete_executions', statement, [attemptIds]);
}

const statement = endingStatement({
  transition: 'complete',
  candidates: attemptsWithOutcome(true, transitions.complete.from),
  set: `output = c.outcome -> 'output', cost = (c.outcome ->> 'cost')::numeric,
    input_tokens = (c.outcome ->> 'inputTokens')::int, output_tokens = (c.outcome ->> 'outputTokens')::int,
    latency_ms = least(extract(epoch FROM now() - e.created_at) * 1000, 2147483647)::int`,
  also: markSettled(true),
});
