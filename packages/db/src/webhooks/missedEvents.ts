import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { type EventRow, readEventPage } from '../events.ts';
import type { Page } from '../pages.ts';
import { firstId, firstIdSince, runStatement } from '../statement.ts';

export type MissingEndpoint = {
  id: string;
  organizationId: string;
  types: readonly string[];
  models: readonly string[];
};

export type EventPlace = { createdAt: Date; id: string };

/** Events of the last 24 hours that an endpoint missed while deactivated after failures, oldest first. */
export async function listMissedEvents(
  db: Database,
  endpoint: MissingEndpoint,
  after: EventPlace,
  limit: number,
): Promise<Page<EventRow>> {
  const { id, organizationId, types, models } = endpoint;
  const first = firstIdSince('evt', Math.max(after.createdAt.getTime(), Date.now() - limits.webhookExpiryMs));
  const cursor = [after.createdAt, after.id, first];
  const values = [id, organizationId, types, models, ...cursor, limits.webhookExpiryMs, limit];
  const ids = 'SELECT v.id FROM scanned v ORDER BY v.created_at, v.id COLLATE "POSIX"';
  return await readEventPage(db, 'missed_events', { scanned: missedSql, ids, limit: '$9' }, values);
}

export type MissedEvent = { id: string; executionId: string | null; body: string };

/** Writes deliveries of missed events, due at once, valid for 24 hours; returns how many. */
export async function deliverMissedEvents(
  db: Database,
  endpointId: string,
  events: readonly MissedEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  const ids = events.map(({ id }) => id);
  const executionIds = events.flatMap(({ executionId }) => executionId ?? []);
  const rows = await runStatement(db.pool, 'deliver_missed_events', deliverStatement, [
    endpointId,
    ids,
    events.map(({ body }) => body),
    executionIds,
    firstId('evt', ids),
    firstId('exec', executionIds),
    limits.webhookExpiryMs,
  ]);
  return rows.length;
}

// Scalar subqueries: one index look-up each. Without missed events nothing is read.
const missedSql = `
  SELECT v.id, v.created_at FROM events v
  WHERE v.organization_id = $2 AND v.created_at >= greatest($5, now() - $8::float8 * interval '1 millisecond')
    AND (v.created_at, v.id COLLATE "POSIX") > ($5::timestamptz, $6::text) AND v.id >= $7
    AND v.created_at < (SELECT CASE WHEN isempty(w.missed) THEN '-infinity' ELSE coalesce(upper(w.missed), 'infinity') END
      FROM webhook_endpoints w WHERE w.id = $1)
    AND v.fanned_out_at <@ (SELECT w.missed FROM webhook_endpoints w WHERE w.id = $1)
    AND v.type = ANY ($3::text[]) AND v.endpoint_id IS DISTINCT FROM $1
    AND (SELECT d.id FROM deliveries d WHERE d.id = delivery_id(v.id, $1)) IS NULL
    AND (v.execution_id IS NULL OR coalesce((
      SELECT e.erased_at IS NULL AND (cardinality($4::text[]) = 0 OR e.model = ANY ($4::text[]))
      FROM executions e WHERE e.id = v.execution_id), false))
  ORDER BY v.created_at, v.id COLLATE "POSIX" LIMIT $9 + 1`;

// In the lock order of an erasure: executions, events, deliveries; an endpoint before deliveries.
const deliverStatement = `
WITH receiver AS MATERIALIZED (
  SELECT w.id, w.url FROM webhook_endpoints w WHERE w.id = $1 AND w.deleted_at IS NULL FOR SHARE
),
kept AS MATERIALIZED (
  SELECT e.id FROM executions e
  WHERE e.id = ANY ($4::text[]) AND e.id >= $6 AND e.erased_at IS NULL AND (SELECT count(*) FROM receiver) > 0
  ORDER BY e.id FOR SHARE OF e
),
missed_events AS MATERIALIZED (
  SELECT v.id, v.organization_id, v.body FROM events v
  WHERE v.id = ANY ($2::text[]) AND v.id >= $5 AND v.fanned_out_at IS NOT NULL
    AND (v.execution_id IS NULL OR v.execution_id IN (SELECT id FROM kept))
  ORDER BY v.id FOR UPDATE OF v
),
written AS (
  UPDATE events v SET body = i.body FROM missed_events m JOIN unnest($2::text[], $3::text[]) AS i (id, body) ON i.id = m.id
  WHERE v.id = m.id AND v.id >= $5 AND m.body IS NULL
)
INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, next_attempt_at, expires_at)
SELECT delivery_id(m.id, r.id), m.id, m.organization_id, r.id, r.id, r.url, now(),
  now() + $7::float8 * interval '1 millisecond'
FROM missed_events m CROSS JOIN receiver r
ON CONFLICT DO NOTHING RETURNING id`;
