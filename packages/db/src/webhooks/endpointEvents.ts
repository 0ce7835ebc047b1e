import { isToldSql } from './endpointConditions.ts';

/**
 * The CTE `endpoint_event`, which writes what is to be told of endpoints: of the rows of the CTE `turned` those whose
 * `told` is a type of event. Nobody is told of it who does not ask for it; it stands in the list of events all the same.
 */
export function endpointEventsSql(turned: string): string {
  return `
endpoint_event AS (
  INSERT INTO events (id, organization_id, endpoint_id, type, created_at, fanned_out_at, body)
  SELECT t.event_id, t.organization_id, t.id, t.told, t.at, CASE WHEN NOT EXISTS (
      SELECT FROM webhook_endpoints w
      WHERE ${isToldSql('w', { organizationId: 't.organization_id', endpointId: 't.id', type: 't.told' })}
    ) THEN now() END,
    json_build_object('id', t.event_id, 'type', t.told, 'event_type', t.told,
      'timestamp', to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'version', '1.0',
      'organization_id', t.organization_id, 'endpoint_id', t.id, 'data', json_build_object(
        'id', t.id, 'url', t.url, 'is_active', t.stays_active, 'failure_count', t.failures, 'last_error', t.error))::text
  FROM (
    SELECT *, new_id('evt') AS event_id, date_trunc('milliseconds', now()) AS at FROM ${turned} WHERE told IS NOT NULL
  ) t
  RETURNING CASE WHEN fanned_out_at IS NULL THEN id END AS id
)`;
}
