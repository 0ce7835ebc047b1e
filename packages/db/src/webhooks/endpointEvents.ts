import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { isNamedInSql } from './dialects.ts';
import type { DueLane } from './lanes.ts';

function isNotifiedSql(w: string, of: { organizationId: string; endpointId: string; type: string }): string {
  return `${w}.organization_id = ${of.organizationId} AND ${w}.id <> ${of.endpointId} AND ${w}.deleted_at IS NULL
    AND ${w}.is_active AND ${isNamedInSql(`${w}.dialect`, of.type)} AND (${of.type} = ANY (${w}.events) OR 'endpoint.*' = ANY (${w}.events))`;
}

/** A time in the body of an event. */
export const eventTimeSql = (time: string) =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The CTE `endpoint_event` writes the events in column `event_type` of `turned`, even without a subscriber. */
export function endpointEventsSql(turned: string): string {
  return `
endpoint_event AS (
  INSERT INTO events (id, organization_id, endpoint_id, type, created_at, fanned_out_at, body)
  SELECT t.event_id, t.organization_id, t.id, t.event_type, t.at, CASE WHEN NOT EXISTS (
      SELECT FROM webhook_endpoints w
      WHERE ${isNotifiedSql('w', { organizationId: 't.organization_id', endpointId: 't.id', type: 't.event_type' })}
    ) THEN now() END,
    json_build_object('id', t.event_id, 'type', t.event_type, 'event_type', t.event_type,
      'timestamp', ${eventTimeSql('t.at')}, 'version', '1.0',
      'organization_id', t.organization_id, 'endpoint_id', t.id, 'data', json_build_object(
        'id', t.id, 'url', t.url, 'is_active', t.stays_active, 'failure_count', t.failures, 'last_error', t.error))::text
  FROM (
    SELECT *, new_id('evt') AS event_id, date_trunc('milliseconds', now()) AS at FROM ${turned} WHERE event_type IS NOT NULL
  ) t
  RETURNING CASE WHEN fanned_out_at IS NULL THEN id END AS id
)`;
}

const maxEvents = 100;

/** Writes deliveries of at most a hundred endpoint events; returns their lanes. */
export async function fanOutEndpointEvents(db: Database): Promise<DueLane[]> {
  return await runStatement<DueLane>(db.pool, 'fan_out_endpoint_events', statement, [
    limits.webhookExpiryMs,
    maxEvents,
  ]);
}

const statement = `
WITH asked AS (
  SELECT id FROM events WHERE execution_id IS NULL AND fanned_out_at IS NULL
  ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
),
fanned AS (
  UPDATE events v SET fanned_out_at = now() FROM asked WHERE v.id = asked.id
  RETURNING v.id, v.organization_id, v.endpoint_id, v.type, v.created_at
),
delivery AS (
  INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, expires_at)
  SELECT delivery_id(f.id, w.id), f.id, f.organization_id, w.id, w.id, w.url,
    f.created_at + $1::float8 * interval '1 millisecond'
  FROM fanned f JOIN webhook_endpoints w
    ON ${isNotifiedSql('w', { organizationId: 'f.organization_id', endpointId: 'f.endpoint_id', type: 'f.type' })}
  ON CONFLICT DO NOTHING RETURNING lane, organization_id
)
SELECT DISTINCT lane, organization_id AS "organizationId" FROM delivery`;
