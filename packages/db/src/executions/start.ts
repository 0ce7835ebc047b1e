import { transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { quoted } from './statusList.ts';

export type StartedExecution = {
  id: string;
  organizationId: string;
  attemptId: string;
  attemptToken: string;
  model: string;
  input: Record<string, unknown>;
  eventId: string;
  /** Milliseconds until it expires, by the database's clock. */
  remainingMs: number;
};

/**
 * PENDING -> PROCESSING with `execution.started` and the first attempt row, for those of `ids` that are pending and
 * not past their time. The attempt is leased to the caller for `leaseS`.
 */
export async function startExecutions(
  db: Database,
  ids: string[],
  leaseS: number,
): Promise<StartedExecution[]> {
  return await runStatement<StartedExecution>(db.pool, 'start_executions', statement, [ids, leaseS]);
}

const { from, to, event } = transitions.start;

const statement = `
WITH due AS (
  SELECT id FROM executions WHERE id = ANY ($1::text[]) AND status IN (${quoted(from)}) AND expires_at > now()
  ORDER BY id FOR UPDATE SKIP LOCKED
),
started AS (
  UPDATE executions e SET status = '${to}', started_at = now() FROM due
  WHERE e.id = due.id AND e.status IN (${quoted(from)})
  RETURNING e.id, e.organization_id, e.model, e.input, e.expires_at
),
attempt AS (
  INSERT INTO attempts (id, execution_id, number, provider, state, token, lease_until)
  SELECT new_id('att'), s.id, 1, coalesce(m.definition -> 'provider' ->> 'connection', 'none'), 'starting',
    replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), now() + $2::int * interval '1 second'
  FROM started s LEFT JOIN models m ON m.slug = s.model
  RETURNING id, execution_id, token
),
event AS (
  INSERT INTO events (id, organization_id, execution_id, type)
  SELECT new_id('evt'), organization_id, id, '${event}' FROM started
  RETURNING id, execution_id
)
SELECT s.id, s.organization_id AS "organizationId", s.model, s.input, a.id AS "attemptId", a.token AS "attemptToken",
  v.id AS "eventId", (extract(epoch FROM s.expires_at - now()) * 1000)::int AS "remainingMs"
FROM started s JOIN attempt a ON a.execution_id = s.id JOIN event v ON v.execution_id = s.id`;
