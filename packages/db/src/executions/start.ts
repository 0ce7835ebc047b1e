import { limits } from '@holdfast/domain/limits';
import { transitions } from '@holdfast/domain/statuses';
import { type AttemptRoute, newToken } from '../attempts/lease.ts';
import type { Database } from '../client.ts';
import type { ModelVersions } from '../models.ts';
import { checkedSql, firstId, runStatement } from '../statement.ts';
import { type NewEvent, newEventColumnsSql, newEventSql } from '../webhooks/newEvents.ts';
import { quotedList } from './read.ts';

export type StartedExecution = NewEvent & {
  id: string;
  organizationId: string;
  attemptId: string;
  attemptToken: string;
  connection: string;
  target: string;
  versions: ModelVersions;
  startedAtMs: number;
  model: string;
  priority: number;
  input: Record<string, unknown>;
  remainingMs: number;
  isStreamed: boolean;
  traceparent: string | null;
};

/** Starts those of `ids` still pending and unexpired; leases their first attempts to the caller. */
export async function startExecutions(
  db: Database,
  starts: (AttemptRoute & { id: string })[],
  leaseS: number,
): Promise<StartedExecution[]> {
  const ids = starts.map(({ id }) => id);
  return await runStatement<StartedExecution>(db.pool, 'start_executions', statement, [
    ids,
    leaseS,
    firstId('exec', ids),
    starts.map(({ connection }) => connection),
    starts.map(({ target }) => target),
    starts.map(({ modelVersion }) => modelVersion ?? null),
  ]);
}

const { from, to, event } = transitions.start;

/** The timeout of an item of a batch counts from its start: until then it had so much longer. */
const deadlineSql = `CASE WHEN run_timeout_s IS NOT NULL THEN now() + run_timeout_s * interval '1 second'
  WHEN batch_id IS NULL THEN expires_at
  ELSE now() + (expires_at - created_at - interval '${limits.batchStartS} seconds') END`;

const statement = `
WITH ready AS MATERIALIZED (
  SELECT t.connection, t.target, t.started_version, e.* FROM (
    SELECT DISTINCT ON (id) * FROM unnest($1::text[], $4::text[], $5::text[], $6::uuid[]) AS t (id, connection, target, started_version) ORDER BY id
  ) t CROSS JOIN LATERAL (
    SELECT id, organization_id, model, input, hold_amount AS hold, estimated_cost, created_at, priority,
      ${deadlineSql} AS expires_at,
      metadata, webhook_url, webhook_dialect, traceparent, model_version, on_cancel, batch_id, custom_id, events
    FROM executions
    WHERE id = t.id AND id >= $3 AND ${checkedSql(`status IN (${quotedList(from)}) AND expires_at > now()`)}
    FOR UPDATE SKIP LOCKED
  ) e
),
started AS (
  UPDATE executions SET status = '${to}', started_at = now(), expires_at = ${deadlineSql}
  WHERE id = ANY (ARRAY (SELECT id FROM ready)) AND id >= $3
),
issued AS MATERIALIZED (SELECT *, new_id('att') AS attempt_id, ${newToken} AS token FROM ready),
attempt AS (
  INSERT INTO attempts (id, execution_id, number, provider, target, state, token, lease_until, model_version)
  SELECT attempt_id, id, 1, connection, target, 'starting', token, now() + $2::int * interval '1 second', started_version
  FROM issued
),
${newEventSql('issued', event)}
SELECT id, organization_id AS "organizationId", model, priority, input, traceparent, attempt_id AS "attemptId", token AS "attemptToken",
  connection, target, json_build_object('created', model_version, 'started', started_version) AS versions, (extract(epoch FROM now()) * 1000)::float8 AS "startedAtMs",
  ${newEventColumnsSql}, (extract(epoch FROM expires_at - now()) * 1000)::int AS "remainingMs",
  on_cancel IS NOT NULL AS "isStreamed"
FROM addressed`;
