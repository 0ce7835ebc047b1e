import { limits } from '@holdfast/domain/limits';
import { isNamedInSql } from '../webhooks/dialects.ts';
import { eventTimeSql } from '../webhooks/endpointEvents.ts';

const moneySql = (amount: string) => `round(${amount}, greatest(2, min_scale(${amount})))::text`;

/**
 * CTEs that write the event of each row of `turned`, which has the columns of its batch after the change and `event_type`
 * (null: none), with a delivery for each endpoint that names the type and for the `webhook_url`, whose lane is `lane`.
 */
export function batchEventsSql(turned: string, lane: string): string {
  return `
reported AS MATERIALIZED (
  SELECT *, new_id('evt') AS event_id, date_trunc('milliseconds', now()) AS at FROM ${turned} WHERE event_type IS NOT NULL
),
event AS (
  INSERT INTO events (id, organization_id, batch_id, type, created_at, fanned_out_at, body)
  SELECT r.event_id, r.organization_id, r.id, r.event_type, r.at, now(), json_build_object('id', r.event_id,
    'type', r.event_type, 'event_type', r.event_type, 'timestamp', ${eventTimeSql('r.at')}, 'version', '1.0',
    'organization_id', r.organization_id, 'batch_id', r.id, 'data', json_build_object('id', r.id, 'status', r.status,
      'reason', coalesce(r.reason, CASE WHEN r.input_errors IS NOT NULL THEN 'input_errors' END), 'counts', json_build_object('total', r.total, 'waiting', r.waiting, 'running', r.running,
        'completed', r.completed, 'failed', r.failed, 'cancelled', r.cancelled, 'expired', r.expired),
      'cost', ${moneySql('r.cost')}, 'metadata', r.metadata))::text
  FROM reported r
),
delivery AS (
  INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, expires_at)
  SELECT delivery_id(r.event_id, w.id), r.event_id, r.organization_id, w.id, coalesce(w.id, ${lane}), w.url,
    r.at + interval '${limits.webhookExpiryMs} milliseconds'
  FROM reported r CROSS JOIN LATERAL (
    SELECT id, url FROM webhook_endpoints WHERE organization_id = r.organization_id AND deleted_at IS NULL AND is_active
      AND (r.event_type = ANY (events) OR 'batch.*' = ANY (events)) AND ${isNamedInSql('dialect', 'r.event_type')}
      AND (cardinality(models) = 0 OR r.model IS NULL OR r.model = ANY (models))
    UNION ALL SELECT NULL, r.webhook_url WHERE r.webhook_url IS NOT NULL
  ) w
)`;
}
