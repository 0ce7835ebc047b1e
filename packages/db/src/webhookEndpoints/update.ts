import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type Payload, shownColumnsSql, type WebhookEndpointRow } from './row.ts';

/** What is undefined stays as it is. */
export type WebhookEndpointChanges = {
  events?: string[] | undefined;
  models?: string[] | undefined;
  payload?: Payload | undefined;
  maxInFlight?: number | undefined;
  /** Null: as many as there are. */
  maxPerSecond?: number | null | undefined;
  /** Sealed JSON; null: none any more. */
  headers?: string | null | undefined;
  description?: string | undefined;
  isActive?: boolean | undefined;
};

/**
 * Changes what is given. Activation forgets past failures and makes all that waits for the endpoint due at once,
 * in the same statement. Null when the organization has none of that id.
 */
export async function updateWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
  changes: WebhookEndpointChanges,
): Promise<WebhookEndpointRow | null> {
  const { events, models, payload, maxInFlight, maxPerSecond, headers, description, isActive } = changes;
  const values = [
    id,
    organizationId,
    isActive ?? null,
    events ?? null,
    models ?? null,
    payload ?? null,
    maxInFlight ?? null,
    description ?? null,
    orWord(maxPerSecond, 0),
    orWord(headers, ''),
  ];
  const [row] = await runStatement<WebhookEndpointRow>(db.pool, 'update_webhook_endpoint', statement, values);
  return row ?? null;
}

/** Null for what stays; what is to be null is told by a word that is no value. */
function orWord<Value>(change: Value | null | undefined, word: Value): Value | null {
  return change === undefined ? null : (change ?? word);
}

// Deliveries are locked in order of id, as every statement over them does.
const statement = `WITH updated AS (
    UPDATE webhook_endpoints SET
      events = coalesce($4, events),
      models = coalesce($5, models),
      payload = coalesce($6, payload),
      max_in_flight = coalesce($7, max_in_flight),
      description = coalesce($8, description),
      max_per_second = nullif(coalesce($9, max_per_second), 0),
      headers = nullif(coalesce($10, headers), ''),
      is_active = coalesce($3, is_active),
      failure_count = CASE WHEN $3 THEN 0 ELSE failure_count END,
      probe_at = CASE WHEN $3 THEN NULL ELSE probe_at END
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
    RETURNING *
  ), waiting AS MATERIALIZED (
    SELECT d.id FROM deliveries d JOIN updated ON d.lane = updated.id
    WHERE $3 AND d.state = 'pending' AND d.next_attempt_at > now() ORDER BY d.id FOR UPDATE OF d
  ), due AS (
    UPDATE deliveries d SET next_attempt_at = now() WHERE d.id = ANY (ARRAY (SELECT id FROM waiting))
  )
  SELECT ${shownColumnsSql} FROM updated`;
