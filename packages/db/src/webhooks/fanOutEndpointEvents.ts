import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import type { DueLane } from './dueLanes.ts';
import { isToldSql } from './endpointConditions.ts';

const most = 100;

/**
 * Writes the deliveries of what is to be told of endpoints, to the other endpoints of the organization that ask for it: at
 * most a hundred events. Answers the lanes that have got some.
 */
export async function fanOutEndpointEvents(db: Database): Promise<DueLane[]> {
  return await runStatement<DueLane>(db.pool, 'fan_out_endpoint_events', statement, [
    limits.webhookExpiryMs,
    most,
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
    ON ${isToldSql('w', { organizationId: 'f.organization_id', endpointId: 'f.endpoint_id', type: 'f.type' })}
  ON CONFLICT DO NOTHING RETURNING lane, organization_id
)
SELECT DISTINCT lane, organization_id AS "organizationId" FROM delivery`;
