import type { Failure } from '@holdfast/domain/outcome';
import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import { storableJson } from '../storableJson.ts';
import { storableText } from '../storableText.ts';
import { erasedOutcome } from './erasedOutcome.ts';
import { newToken } from './newToken.ts';

export type Refusal = {
  attemptId: string;
  outcome: Omit<Failure, 'raw'>;
  rawError: string | null;
  /** The next try: where, and how long from now. */
  next: { connection: string; target: string; afterMs: number };
};

/**
 * Ends attempts that their providers certainly did not accept, and writes the next try of each, which waits for its time:
 * both or neither, so that whoever dies here leaves the one or the other to be found. No next one for an execution that
 * has ended, and of one that was erased no more than how it was refused. Answers the ids of the attempts that had neither
 * ended before nor been taken on: whoever was halted for long may have been overtaken, and that run goes on.
 */
export async function recordRefusals(db: Database, refusals: Refusal[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'record_refusals', statement, [
    refusals.map(({ attemptId }) => attemptId),
    refusals.map(({ outcome }) => storableJson(outcome)),
    refusals.map(({ rawError }) => (rawError === null ? null : storableText(rawError))),
    refusals.map(({ next }) => next.connection),
    refusals.map(({ next }) => next.target),
    refusals.map(({ next }) => Math.round(next.afterMs)),
    firstId(
      'exec',
      refusals.map(({ attemptId }) => attemptId),
    ),
  ]);
  return rows.map(({ id }) => id);
}

// Judged once they are found: an index of what is starting, or a range of executions, would be read for the few that are meant.
const statement = `
WITH item AS (
  SELECT DISTINCT ON (id) * FROM unnest($1::text[], $2::json[], $3::text[], $4::text[], $5::text[], $6::int[])
    AS t (id, outcome, raw_error, connection, target, after_ms)
),
due AS (
  SELECT a.id, a.state FROM attempts a WHERE a.id = ANY ($1::text[]) AND a.finished_at IS NULL ORDER BY a.id FOR UPDATE
),
refused AS (
  UPDATE attempts a SET state = 'refused', finished_at = now(), lease_until = NULL, poll_at = NULL,
    outcome = CASE WHEN a.settled_at IS NULL THEN i.outcome ELSE ${erasedOutcome('i.outcome')} END,
    raw_error = CASE WHEN a.settled_at IS NULL THEN i.raw_error END
  FROM due JOIN item i ON i.id = due.id WHERE a.id = due.id AND a.id = ANY ($1::text[]) AND a.finished_at IS NULL
    AND due.state = 'starting'
  RETURNING a.id, a.execution_id, a.number
),
next AS (
  INSERT INTO attempts (id, execution_id, number, provider, target, state, token, poll_at)
  SELECT new_id('att'), r.execution_id, r.number + 1, i.connection, i.target, 'waiting', ${newToken},
    now() + i.after_ms * interval '1 millisecond'
  FROM refused r JOIN item i ON i.id = r.id CROSS JOIN LATERAL (
    SELECT completed_at IS NOT NULL AS ended FROM executions WHERE id = r.execution_id AND id >= $7 LIMIT 1
  ) e WHERE NOT e.ended
)
SELECT id FROM refused`;
