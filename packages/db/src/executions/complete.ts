import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import { type Ended, endingStatement } from './ending.ts';
import { markSettled, settleable } from './settleable.ts';

/** -> COMPLETED from the recorded outcomes of these attempts, holds settled to the actual cost. */
export async function completeExecutions(db: Database, attemptIds: string[]): Promise<Ended[]> {
  return await runStatement<Ended>(db.pool, 'complete_executions', statement, [
    attemptIds,
    firstId('exec', attemptIds),
  ]);
}

const statement = endingStatement({
  transition: 'complete',
  first: settleable(true),
  asked: `
  SELECT h.id, h.status, r.* FROM held h JOIN outcome o USING (id) CROSS JOIN LATERAL json_to_record(o.outcome)
    AS r (output json, cost numeric, "inputTokens" int, "outputTokens" int)`,
  set: `output = c.output, cost = c.cost, input_tokens = c."inputTokens", output_tokens = c."outputTokens",
    latency_ms = least(extract(epoch FROM now() - e.created_at) * 1000, 2147483647)::int`,
  among: 'e.id >= $2',
  also: markSettled(true),
});
