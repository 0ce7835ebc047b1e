import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import { storableText } from '../storableText.ts';

export type ToldProgress = {
  attemptId: string;
  executionId: string;
  /** 0 to 1; null: not told. */
  progress: number | null;
  queuePosition: number | null;
  /** What is new in the log, as a client may see it. */
  logs: string;
  /** Characters of the provider's log that are dealt with, these included. */
  logged: number;
};

/**
 * What providers tell of runs that go on. A log that two have read at once is added once; of what has ended, nothing; what
 * says nothing new is not written.
 */
export async function recordProgress(db: Database, told: ToldProgress[]): Promise<void> {
  const column = <Key extends keyof ToldProgress>(key: Key) => told.map((item) => item[key]);
  await runStatement(db.pool, 'record_progress', statement, [
    column('attemptId'),
    column('executionId'),
    column('progress'),
    column('queuePosition'),
    column('logs').map(storableText),
    column('logged'),
    firstId('exec', column('executionId')),
  ]);
}

// Attempts before executions, each in order of id: the order in which they are locked everywhere.
const statement = `
WITH item AS (
  SELECT DISTINCT ON (id) * FROM unnest($1::text[], $2::text[], $3::real[], $4::int[], $5::text[], $6::int[])
    AS t (id, execution_id, progress, queue_position, logs, logged) ORDER BY id, logged DESC
),
due AS (
  SELECT a.id, a.logged FROM attempts a WHERE a.id = ANY ($1::text[]) AND a.finished_at IS NULL ORDER BY a.id FOR UPDATE
),
counted AS (
  UPDATE attempts a SET logged = i.logged FROM due JOIN item i ON i.id = due.id
  WHERE a.id = due.id AND a.id = ANY ($1::text[]) AND i.logged > due.logged
),
told AS (
  SELECT e.id, i.progress, i.queue_position, CASE WHEN i.logged > due.logged THEN i.logs ELSE '' END AS logs
  FROM due JOIN item i ON i.id = due.id JOIN executions e ON e.id = i.execution_id
  WHERE e.id >= $7 AND e.completed_at IS NULL AND (i.logged > due.logged OR
    (coalesce(i.progress, e.progress), i.queue_position) IS DISTINCT FROM (e.progress, e.queue_position))
  ORDER BY e.id FOR UPDATE OF e
)
UPDATE executions e SET progress = coalesce(t.progress, e.progress), queue_position = t.queue_position,
  logs = CASE WHEN t.logs = '' THEN e.logs ELSE right(coalesce(e.logs, '') || t.logs, ${limits.logLength}) END,
  logs_total = e.logs_total + length(t.logs)
FROM told t WHERE e.id = t.id AND e.id >= $7 AND e.completed_at IS NULL`;
