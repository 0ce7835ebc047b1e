import { type UpdateType, updateEveryMs, type WebhookDialect } from '@holdfast/domain/webhookDialect';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type SigningSecrets, signingSecretsSql } from './secrets.ts';

/** Notes executions that have begun and whose `webhook_url` is called at news of these types. Repeatable. */
export async function watchUpdates(
  db: Database,
  watched: readonly { executionId: string; types: readonly UpdateType[] }[],
): Promise<void> {
  if (watched.length === 0) return;
  await runStatement(db.pool, 'watch_updates', watchSql, [
    watched.map(({ executionId }) => executionId),
    watched.map(({ types }) => types.join()),
  ]);
}

const watchSql = `
INSERT INTO webhook_updates (execution_id, types)
SELECT id, string_to_array(types, ',') FROM unnest($1::text[], $2::text[]) AS t (id, types) ORDER BY id
ON CONFLICT DO NOTHING`;

/** News of an execution that runs, whose call is claimed until `leaseUntil`. */
export type Update = SigningSecrets & {
  executionId: string;
  organizationId: string;
  url: string;
  dialect: WebhookDialect;
  traceparent: string | null;
  /** What the call has: events of the stream, and characters of the log. */
  events: number;
  logged: string;
  leaseUntil: Date;
};

/** Claims the calls that are due, those of the longest silence first, and forgets executions that have ended. */
export async function claimUpdates(
  db: Database,
  { limit, leaseS }: { limit: number; leaseS: number },
): Promise<Update[]> {
  return await runStatement<Update>(db.pool, 'claim_updates', claimSql, [limit, leaseS]);
}

const claimSql = `
WITH news AS MATERIALIZED (
  SELECT u.execution_id, e.id IS NULL OR e.completed_at IS NOT NULL AS is_over, e.organization_id, e.webhook_url, e.webhook_dialect,
    e.traceparent, coalesce(s.events, 0) AS events, coalesce(e.logs_total, 0) AS logged
  FROM webhook_updates u
  LEFT JOIN LATERAL (SELECT * FROM executions WHERE id = u.execution_id LIMIT 1) e ON true
  LEFT JOIN LATERAL (SELECT events FROM streams WHERE execution_id = u.execution_id LIMIT 1) s ON true
  WHERE u.next_at <= now() AND (e.id IS NULL OR e.completed_at IS NOT NULL
    OR e.logs_total > u.logged AND 'logs' = ANY (u.types)
    OR s.events > u.events AND EXISTS (
      SELECT FROM stream_events v WHERE v.execution_id = u.execution_id AND v.number > u.events AND v.type = ANY (u.types)))
  ORDER BY u.next_at LIMIT $1 FOR UPDATE OF u SKIP LOCKED
),
over AS (DELETE FROM webhook_updates WHERE execution_id = ANY (ARRAY (SELECT execution_id FROM news WHERE is_over))),
leased AS (
  UPDATE webhook_updates SET next_at = now() + $2::float8 * interval '1 second'
  WHERE execution_id = ANY (ARRAY (SELECT execution_id FROM news WHERE NOT is_over))
)
SELECT n.execution_id AS "executionId", n.organization_id AS "organizationId", n.webhook_url AS url, n.webhook_dialect AS dialect,
  n.traceparent, n.events, n.logged, (now() + $2::float8 * interval '1 second')::timestamptz(3) AS "leaseUntil", o.*
FROM news n CROSS JOIN LATERAL (
  SELECT ${signingSecretsSql('o', 'webhook_secret')} FROM organizations o WHERE o.id = n.organization_id OFFSET 0
) o WHERE NOT n.is_over`;

/** `wasCalled`: false leaves the news for the next claim. The next call begins `updateEveryMs` after this one, or later. */
export async function releaseUpdate(
  db: Database,
  { executionId, leaseUntil, events, logged }: Update,
  { wasCalled, leaseS }: { wasCalled: boolean; leaseS: number },
): Promise<void> {
  const values = [executionId, leaseUntil, leaseS, wasCalled, events, logged];
  await runStatement(db.pool, 'release_update', releaseSql, values);
}

const releaseSql = `
UPDATE webhook_updates SET
  next_at = greatest(now(), $2::timestamptz - $3::float8 * interval '1 second' + interval '${updateEveryMs} milliseconds'),
  events = CASE WHEN $4::boolean THEN $5::int ELSE events END, logged = CASE WHEN $4::boolean THEN $6::bigint ELSE logged END
WHERE execution_id = $1 AND next_at = $2::timestamptz`;
