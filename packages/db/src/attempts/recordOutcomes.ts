import type { RecordedOutcome } from '@holdfast/domain/outcome';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { storableJson } from '../storableJson.ts';
import { storableText } from '../storableText.ts';
import { erasedOutcome } from './erasedOutcome.ts';

/**
 * Ends attempts with their outcomes, each once; answers the ids of those that had none before. Of one that was settled
 * while it ran, for its execution was erased, nothing is kept that the provider made.
 */
export async function recordOutcomes(
  db: Database,
  items: {
    attemptId: string;
    outcome: RecordedOutcome;
    state: 'succeeded' | 'failed' | 'unknown';
    /** What the provider said went wrong, before it was mapped. */
    rawError?: string | null;
  }[],
): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'record_outcomes', statement, [
    items.map(({ attemptId }) => attemptId),
    items.map(({ outcome }) => storableJson(outcome)),
    items.map(({ state }) => state),
    items.map(({ rawError }) => (rawError ? storableText(rawError) : null)),
  ]);
  return rows.map(({ id }) => id);
}

const statement = `
WITH item AS (
  SELECT DISTINCT ON (id) * FROM unnest($1::text[], $2::json[], $3::text[], $4::text[])
    AS t (id, outcome, state, raw_error)
),
due AS (
  SELECT a.id FROM attempts a WHERE a.id = ANY ($1::text[]) AND a.finished_at IS NULL ORDER BY a.id FOR UPDATE
)
UPDATE attempts a SET state = i.state, finished_at = now(), lease_until = NULL, poll_at = NULL,
  outcome = CASE WHEN a.settled_at IS NULL THEN i.outcome ELSE ${erasedOutcome('i.outcome')} END,
  raw_error = CASE WHEN a.settled_at IS NULL THEN i.raw_error END,
  handle = CASE WHEN a.settled_at IS NULL THEN a.handle END
FROM due JOIN item i ON i.id = due.id
WHERE a.id = due.id AND a.finished_at IS NULL RETURNING a.id`;
