import type { EventType } from '@holdfast/domain/eventTypes';
import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { executionColumns } from '../executions/row.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';

export type EventToFanOut = {
  eventId: string;
  eventType: EventType;
  eventCreatedAt: Date;
  /** The event's place in a trace. */
  traceparent: string | null;
} & Execution;

/** Those of `eventIds` that nobody has fanned out yet, each with its execution (whose id is `id`). */
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

// Events are found by their ids and judged then: the index of what is to be fanned out is full of what has just left it.
const readStatement = `
WITH asked AS MATERIALIZED (
  SELECT id, type, created_at, execution_id, fanned_out_at, traceparent FROM events
  WHERE id = ANY ($1::text[]) AND id >= $2
)
SELECT v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", v.traceparent, ${executionColumns('x')}
FROM asked v JOIN executions x ON x.id = v.execution_id AND x.id >= $3
WHERE v.fanned_out_at IS NULL`;

const listStatement = `
SELECT id FROM events
WHERE fanned_out_at IS NULL AND execution_id IS NOT NULL AND created_at < now() - $1::float8 * interval '1 second'
ORDER BY created_at LIMIT $2`;
