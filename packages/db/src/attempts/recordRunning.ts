import { transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { quoted } from '../executions/statusList.ts';
import { runStatement } from '../statement.ts';
import { storableJson } from '../storableJson.ts';

export type RunningAttempt = {
  attemptId: string;
  /** What the adapter needs to poll or cancel; `externalId` is the provider's id of the run. */
  handle: { externalId: string } & Record<string, string>;
  /** Whether the provider will call back: then the execution awaits it. */
  awaitsCallback: boolean;
  /** When to ask the provider, from now; while a callback is awaited, twice as long at every question. */
  pollAfterMs: number;
};

/**
 * Accepted by the provider: the lease ends, for from here any dispatcher can go on. Answers the ids of those that had
 * not ended before.
 */
export async function recordRunning(db: Database, items: RunningAttempt[]): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'record_running', statement, [
    items.map(({ attemptId }) => attemptId),
    items.map(({ handle }) => storableJson(handle)),
    items.map(({ awaitsCallback }) => awaitsCallback),
    items.map(({ pollAfterMs }) => pollAfterMs),
  ]);
  return rows.map(({ id }) => id);
}

const { from, to } = transitions.awaitCallback;

const statement = `
WITH item AS (
  SELECT * FROM unnest($1::text[], $2::json[], $3::boolean[], $4::int[]) AS t (id, handle, awaits, poll_after_ms)
),
due AS (
  SELECT a.id FROM attempts a WHERE a.id = ANY ($1::text[]) AND a.finished_at IS NULL ORDER BY a.id FOR UPDATE
),
running AS (
  UPDATE attempts a SET state = 'running', handle = i.handle, external_id = i.handle ->> 'externalId',
    lease_until = NULL, polls = a.polls + 1, poll_at = now() + i.poll_after_ms * interval '1 millisecond'
      * CASE WHEN i.awaits THEN power(2, least(a.polls, 4)) ELSE 1 END
  FROM due JOIN item i ON i.id = due.id WHERE a.id = due.id AND a.finished_at IS NULL
  RETURNING a.id, a.execution_id, i.awaits
),
awaiting AS (
  SELECT e.id FROM executions e JOIN running r ON r.execution_id = e.id AND r.awaits
  WHERE e.status IN (${quoted(from)}) ORDER BY e.id FOR UPDATE OF e
),
moved AS (
  UPDATE executions e SET status = '${to}' FROM awaiting w WHERE e.id = w.id AND e.status IN (${quoted(from)})
)
SELECT id FROM running`;
