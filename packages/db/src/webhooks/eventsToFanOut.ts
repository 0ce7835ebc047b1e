import type { EventType } from '@holdfast/domain/eventTypes';
import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { executionColumns } from '../executions/row.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import { endpointSecretsSql, organizationSecretsSql, type SigningSecrets } from './signingSecrets.ts';

export type EventToFanOut = {
  eventId: string;
  eventType: EventType;
  eventCreatedAt: Date;
  /** The organization's endpoints that are active and subscribed to this type and model. */
  endpoints: EndpointToTell[];
  /** The organization's own, for the execution's `webhook_url`; null when it has none. */
  organizationSecrets: SigningSecrets | null;
} & Execution;

export type EndpointToTell = SigningSecrets & {
  id: string;
  url: string;
  /** Custom headers: sealed JSON. */
  headers: string | null;
  isThin: boolean;
  maxInFlight: number;
  /** Failed when it was last tried: it is only probed. */
  isFailing: boolean;
  /** It has a `max_per_second`, which is counted where it is claimed. */
  isPaced: boolean;
};

/** Those of `eventIds` that nobody has fanned out yet, each with its execution (whose id is `id`) and endpoints. */
export async function readEventsToFanOut(db: Database, eventIds: string[]): Promise<EventToFanOut[]> {
  return await runStatement<EventToFanOut>(db.pool, 'events_to_fan_out', readStatement, [
    eventIds,
    firstId('evt', eventIds),
    firstId('exec', eventIds),
  ]);
}

/** Ids of events of executions, oldest first, whose fan-out is `graceS` late: their job was lost. */
export async function listUnfannedEvents(db: Database, graceS: number, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'unfanned_events', listStatement, [graceS, limit]);
  return rows.map(({ id }) => id);
}

// Spec, "Events" 1: an empty list of types is all of them. Events are found by their ids and judged then: the index of
// what is to be fanned out is full of what has just left it.
const readStatement = `
WITH asked AS MATERIALIZED (
  SELECT id, type, created_at, execution_id, fanned_out_at FROM events
  WHERE id = ANY ($1::text[]) AND id >= $2
)
SELECT v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", ${executionColumns('x')},
  CASE WHEN x.webhook_url IS NOT NULL THEN (
    SELECT row_to_json(s) FROM (
      SELECT ${organizationSecretsSql} FROM organizations o WHERE o.id = x.organization_id
    ) s
  ) END AS "organizationSecrets",
  (SELECT coalesce(json_agg(e), '[]') FROM (
    SELECT w.id, w.url, w.headers, w.payload = 'thin' AS "isThin", w.max_in_flight AS "maxInFlight",
      w.failure_count > 0 AS "isFailing", w.max_per_second IS NOT NULL AS "isPaced",
      ${endpointSecretsSql}
    FROM webhook_endpoints w
    WHERE w.organization_id = x.organization_id AND w.deleted_at IS NULL AND w.is_active
      AND (coalesce(cardinality(w.events), 0) = 0 OR v.type = ANY (w.events) OR 'execution.*' = ANY (w.events))
      AND (cardinality(w.models) = 0 OR x.model = ANY (w.models))
  ) e) AS endpoints
FROM asked v JOIN executions x ON x.id = v.execution_id AND x.id >= $3
WHERE v.fanned_out_at IS NULL`;

const listStatement = `
SELECT id FROM events
WHERE fanned_out_at IS NULL AND execution_id IS NOT NULL AND created_at < now() - $1::float8 * interval '1 second'
ORDER BY created_at LIMIT $2`;
