import type { Database } from '@holdfast/db/client';
import type { DeliveryState } from '@holdfast/db/webhooks/deliveries';
import { deliveryLane } from '@holdfast/domain/events';
import { newId } from '@holdfast/domain/ids';

const url = 'https://example.com/hooks';

/**
 * Inserts a delivery as fan-out does, or changes the one of the ending. `endpointId` null: to the execution's
 * `webhook_url`.
 */
export async function insertDelivery(
  db: Database,
  args: {
    organizationId: string;
    endpointId: string | null;
    state: DeliveryState;
    executionId?: string;
    type?: string;
  },
): Promise<{ id: string; eventId: string; executionId: string }> {
  const { organizationId, endpointId, state, executionId = newId('exec') } = args;
  const { rows } = await db.pool.query<{ id: string; eventId: string }>(
    `WITH v AS (
       INSERT INTO events (id, organization_id, execution_id, type, body, fanned_out_at)
       VALUES (event_id($1, $5), $2, $1, $5, format('{"id":"%s"}', event_id($1, $5)), now())
       ON CONFLICT (id) DO UPDATE SET fanned_out_at = now(), body = excluded.body RETURNING id
     )
     INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, state, next_attempt_at, expires_at,
       finished_at)
     SELECT delivery_id(v.id, $3), v.id, $2, $3, $7, $6, $4, now() + interval '1 minute', now() + interval '2 minutes',
       CASE WHEN $4 <> 'pending' THEN now() END
     FROM v
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, finished_at = excluded.finished_at, lease_until = NULL,
       next_attempt_at = excluded.next_attempt_at, expires_at = excluded.expires_at
     RETURNING id, event_id AS "eventId"`,
    [
      executionId,
      organizationId,
      endpointId,
      state,
      args.type ?? 'execution.completed',
      url,
      deliveryLane({ endpointId, organizationId, url }),
    ],
  );
  const [row = { id: '', eventId: '' }] = rows;
  return { ...row, executionId };
}
