import type { EventRow } from '@holdfast/db/events';
import { batchReasons } from '@holdfast/domain/batch';
import {
  batchEventTypes,
  deliveredEventBody,
  type EventType,
  type Event as ExecutionEvent,
  endpointEventTypes,
  eventTypes,
  type SubscribableType,
  thinEventBody,
} from '@holdfast/domain/events';
import { parseJson } from '@holdfast/domain/json';
import { z } from 'zod';
import { BatchCounts, BatchStatus } from '../../batches/records.ts';
import { ExecutionRecord, ExecutionStatus, exampleExecution, Metadata } from '../../executions/records.ts';
import { amount, exampleId, idField, timestamp } from '../../http/fields.ts';
import { exampleEvents } from './exampleEvents.ts';

const envelope = <Type extends string>(type: Type) => ({
  id: idField('evt', 'The same in every attempt: drop ids that you have already seen'),
  type: z.literal(type),
  event_type: z.literal(type).describe('The same as `type`'),
  timestamp: timestamp('When it happened').meta({ example: exampleExecution.completed_at }),
  version: z.literal('1.0'),
  organization_id: idField('org'),
});

const exampleEnvelope = (type: string) => ({
  id: exampleId('evt'),
  type,
  event_type: type,
  timestamp: exampleExecution.completed_at,
  version: '1.0',
  organization_id: exampleId('org'),
});

const ExecutionReference = z.object({ id: idField('exec'), status: ExecutionStatus }).meta({
  id: 'ExecutionReference',
  description: 'For events without the execution itself: read it by its id',
});

const ExecutionData = z.union([ExecutionRecord, ExecutionReference]).meta({
  description:
    'The execution, as `GET /v1/executions/{id}` returned it then, without `logs` and `urls`. Only its id and status ' +
    'with `payload: "thin"`, and when the event is `truncated`',
});

const example = (type: SubscribableType) => ({
  ...exampleEnvelope(type),
  ...exampleEvents[type].about,
  data: exampleEvents[type].data,
});

const test = z
  .literal(true)
  .optional()
  .describe('Nothing has happened: it was sent by `POST /v1/webhooks/endpoints/{id}/test`');

function executionEvent<Type extends EventType>(type: Type) {
  return z
    .object({
      ...envelope(type),
      test,
      execution_id: idField('exec'),
      truncated: z
        .literal(true)
        .optional()
        .describe('The full event would exceed 256 KiB: read the execution instead'),
      data: ExecutionData,
    })
    .meta({ id: `${nameOf(type)}Event`, example: example(type) });
}

const EndpointState = z
  .object({
    id: idField('wh'),
    url: z.string().meta({ example: 'https://example.com/hooks/holdfast' }),
    is_active: z.boolean().meta({ example: true }),
    failure_count: z.int().meta({ example: 4 }),
    last_error: z.string().nullable().meta({ example: 'HTTP 500' }),
  })
  .meta({ id: 'WebhookEndpointState' });

function endpointEvent<Type extends (typeof endpointEventTypes)[number]>(type: Type) {
  return z
    .object({
      ...envelope(type),
      test,
      endpoint_id: idField('wh', 'The endpoint that the event is about'),
      data: EndpointState,
    })
    .meta({ id: `${nameOf(type)}Event`, example: example(type) });
}

const BatchState = z
  .object({
    id: idField('bat'),
    status: BatchStatus,
    reason: z
      .enum(batchReasons)
      .nullable()
      .meta({ description: 'Why it is paused; `input_errors`: why it was cancelled', example: null }),
    counts: BatchCounts,
    cost: amount('What was charged for its items'),
    metadata: Metadata.nullable(),
  })
  .meta({ id: 'BatchState' });

function batchEvent<Type extends (typeof batchEventTypes)[number]>(type: Type) {
  return z
    .object({ ...envelope(type), test, batch_id: idField('bat'), data: BatchState })
    .meta({ id: `${nameOf(type)}Event`, example: example(type) });
}

const TestData = z
  .object({ message: z.string().meta({ example: 'This is a test event from Holdfast.' }) })
  .meta({ id: 'WebhookTestData' });

const testEvent = z
  .object({ ...envelope('webhook.test'), data: TestData })
  .meta({ id: 'WebhookTestEvent', description: 'Sent by `POST /v1/webhooks/endpoints/{id}/test`' });

/** `execution.completed` is `ExecutionCompleted`. */
function nameOf(type: string): string {
  return type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const [firstType, ...otherTypes] = eventTypes;

export const AnyEvent = z
  .discriminatedUnion('type', [
    executionEvent(firstType),
    ...otherTypes.map((type) => executionEvent(type)),
    ...endpointEventTypes.map((type) => endpointEvent(type)),
    ...batchEventTypes.map((type) => batchEvent(type)),
    testEvent,
  ])
  .meta({
    id: 'Event',
    description: 'An event; `type` says which. More types may be added: ignore those that you do not know',
    example: example('execution.completed'),
  });

/** The body as delivered; if no endpoint received it, as it would be delivered now. An erased execution has only its record. */
export function eventText(row: EventRow): string {
  if (row.body !== null) return row.body;
  return row.isTruncated ? thinEventBody(eventOf(row), true) : deliveredEventBody(eventOf(row), row);
}

export function eventRecord(row: EventRow): unknown {
  return parseJson(eventText(row));
}

function eventOf(row: EventRow & { body: null }): ExecutionEvent {
  return {
    id: row.eventId,
    type: row.eventType,
    organizationId: row.organizationId,
    executionId: row.id,
    createdAt: row.eventCreatedAt,
  };
}
