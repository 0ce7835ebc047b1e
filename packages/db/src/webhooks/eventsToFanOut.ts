import type { EventType } from '@holdfast/domain/eventTypes';
import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { executionColumns } from '../executions/row.ts';
import { runStatement } from '../statement.ts';

export type EventToFanOut = {
  eventId: string;
  eventType: EventType;
  eventCreatedAt: Date;
  /** The organization's endpoints that are active and subscribed to this type. */
  endpoints: { id: string; url: string }[];
} & Execution;

/** Those of `eventIds` that nobody has fanned out yet, each with its execution (whose id is `id`) and endpoints. */
export async function readEventsToFanOut(db: Database, eventIds: string[]): Promise<EventToFanOut[]> {
  return await runStatement<EventToFanOut>(db.pool, 'events_to_fan_out', readStatement, [eventIds]);
}

/** Ids of events, oldest first, whose fan-out is `graceS` late: their job was lost. */
export async function listUnfannedEvents(db: Database, graceS: number, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'unfanned_events', listStatement, [graceS, limit]);
  return rows.map(({ id }) => id);
}

// Spec, "Events" 1: an empty list of types is all of them.
const readStatement = `
SELECT v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", ${executionColumns('x')},
  (SELECT coalesce(json_agg(json_build_object('id', w.id, 'url', w.url)), '[]') FROM webhook_endpoints w
   WHERE w.organization_id = v.organization_id AND w.deleted_at IS NULL AND w.is_active
     AND (coalesce(cardinality(w.events), 0) = 0 OR v.type = ANY (w.events))) AS endpoints
FROM events v JOIN executions x ON x.id = v.execution_id
WHERE v.id = ANY ($1::text[]) AND v.fanned_out_at IS NULL`;

const listStatement = `
SELECT id FROM events WHERE fanned_out_at IS NULL AND created_at < now() - $1::float8 * interval '1 second'
ORDER BY created_at LIMIT $2`;
