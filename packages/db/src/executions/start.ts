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

// The ids are made before the rows: joining what was inserted would compare each row of a batch with each.
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
issued AS MATERIALIZED (
  SELECT s.*, new_id('att') AS attempt_id, new_id('evt') AS event_id,
    replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') AS token,
    coalesce(m.definition -> 'provider' ->> 'connection', 'none') AS connection
  FROM started s LEFT JOIN models m ON m.slug = s.model
),
attempt AS (
  INSERT INTO attempts (id, execution_id, number, provider, state, token, lease_until)
  SELECT attempt_id, id, 1, connection, 'starting', token, now() + $2::int * interval '1 second' FROM issued
),
event AS (
  INSERT INTO events (id, organization_id, execution_id, type)
  SELECT event_id, organization_id, id, '${event}' FROM issued
)
SELECT id, organization_id AS "organizationId", model, input, attempt_id AS "attemptId", token AS "attemptToken",
  event_id AS "eventId", (extract(epoch FROM expires_at - now()) * 1000)::int AS "remainingMs"
FROM issued`;
