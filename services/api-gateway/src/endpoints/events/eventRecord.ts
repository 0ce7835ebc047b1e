import type { EventRow } from '@holdfast/db/events';
import { deliveredEventBody, type Event, endpointEventTypes, eventTypes } from '@holdfast/domain/events';
import { z } from 'zod';
import { ExecutionRecord, exampleExecution } from '../../executions/records.ts';
import { idField, timestamp } from '../../http/fields.ts';

const type = z.enum(eventTypes).meta({ example: 'execution.completed' });
const endpointType = z.enum(endpointEventTypes).meta({ example: 'endpoint.failing' });

const happened = timestamp('When it happened').meta({ example: exampleExecution.completed_at });

const envelope = {
  id: idField('evt', 'The same in every attempt: drop ids that you have already seen'),
  type,
  event_type: type.describe('The same as `type`'),
  timestamp: happened,
  version: z.literal('1.0'),
  organization_id: idField('org'),
  execution_id: idField('exec'),
};

const ExecutionEvent = z
  .object({
    ...envelope,
    data: ExecutionRecord.describe('The execution, as `GET /v1/executions/{id}` returns it without its log'),
  })
  .meta({ id: 'Event' });

/** For endpoints with `payload: "thin"`, and for every endpoint when the full event would be too large. */
export const ThinEvent = z
  .object({
    ...envelope,
    truncated: z
      .literal(true)
      .optional()
      .describe('The full event would exceed 256 KiB: read the execution instead'),
    data: z.object({ id: idField('exec'), status: ExecutionRecord.shape.status }),
  })
  .meta({ id: 'ThinEvent' });

const EndpointEvent = z
  .object({
    id: envelope.id,
    type: endpointType,
    event_type: endpointType.describe('The same as `type`'),
    timestamp: happened,
    version: z.literal('1.0'),
    organization_id: idField('org'),
    endpoint_id: idField('wh', 'The endpoint that the event is about'),
    data: z.object({
      id: idField('wh'),
      url: z.string().meta({ example: 'https://example.com/hooks/holdfast' }),
      is_active: z.boolean().meta({ example: true }),
      failure_count: z.int().meta({ example: 4 }),
      last_error: z.string().nullable().meta({ example: 'HTTP 500' }),
    }),
  })
  .meta({ id: 'EndpointEvent' });

/** An event as a webhook delivers it: full unless it is too large. */
export const AnyEvent = z.union([ExecutionEvent, ThinEvent, EndpointEvent]);

/** The body as delivered; if no endpoint received it, as it would be delivered now. An erased execution has only its record. */
export function eventText(row: EventRow): string {
  return row.body === null ? deliveredEventBody(eventOf(row), row) : row.body;
}

export function eventRecord(row: EventRow): unknown {
  return JSON.parse(eventText(row));
}

function eventOf(row: EventRow & { body: null }): Event {
  return {
    id: row.eventId,
    type: row.eventType,
    organizationId: row.organizationId,
    executionId: row.id,
    createdAt: row.eventCreatedAt,
  };
}
