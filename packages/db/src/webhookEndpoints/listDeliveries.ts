import type { Database } from '../client.ts';
import { type Condition, givenConditions } from '../conditions.ts';
import { deliveriesOfSql } from '../executions/deliveriesOf.ts';
import { runStatement } from '../statement.ts';
import { withAttempts } from './deliveryAttempts.ts';
import { type DeliveryRow, type DeliveryState, deliveryColumnsSql, shownStateSql } from './deliveryRow.ts';

export type DeliveryFilter = {
  /** One of these two at least: without them no index leads to a page. */
  endpointId?: string | undefined;
  executionId?: string | undefined;
  state?: DeliveryState | undefined;
  eventType?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  /** The id of a delivery: only those listed after it. */
  cursor?: string | undefined;
};

/** Deliveries of an organization to an endpoint or of an execution, newest first. */
export async function listDeliveries(
  db: Database,
  organizationId: string,
  filter: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> {
  const given = givenConditions(conditions, filter, 2);
  const text = `SELECT ${deliveryColumnsSql} FROM deliveries d
    CROSS JOIN LATERAL (SELECT * FROM events v WHERE v.id = d.event_id OFFSET 0) e
    WHERE d.organization_id = $1${given.sql} ORDER BY d.created_at DESC, d.id DESC LIMIT $2`;
  const values = [organizationId, limit, ...given.values];
  return withAttempts(db, await runStatement(db.pool, `list_deliveries_${given.key}`, text, values));
}

const conditions: Condition<DeliveryFilter>[] = [
  { name: 'endpointId', sql: 'd.endpoint_id = ?' },
  { name: 'executionId', sql: deliveriesOfSql('d', '?') },
  { name: 'state', sql: `${shownStateSql} = ?` },
  { name: 'eventType', sql: 'e.type = ?' },
  { name: 'createdAfter', sql: 'd.created_at > ?' },
  { name: 'createdBefore', sql: 'd.created_at < ?' },
  {
    name: 'cursor',
    sql: `(d.created_at, d.id) <
      (SELECT c.created_at, c.id FROM deliveries c WHERE c.id = ? AND c.organization_id = $1)`,
  },
];
