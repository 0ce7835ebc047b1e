import type { DeliveryRow } from '@holdfast/db/webhooks/deliveries';
import { endpointEventTypes, eventTypes } from '@holdfast/domain/eventTypes';
import { z } from 'zod';
import { exampleId, idField, timeFilter, timestamp, toDate } from '../../http/fields.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';

const DeliveryAttempt = z
  .object({
    number: z.int(),
    started_at: timestamp('When it was sent'),
    status_code: z.int().nullable().describe('Null when there was no answer'),
    duration_ms: z.int().nullable(),
    error: z.string().nullable().describe('Null: it succeeded, is under way, or broke off with its sender'),
    error_stage: z
      .string()
      .nullable()
      .describe(
        'How far it came when it failed: `policy` (the URL may not be called), `dns`, `connect`, `tls`, `timeout`, ' +
          '`response` (the answer was no 2xx, or could not be read), `aborted`, `unprepared`',
      ),
    response: z
      .string()
      .nullable()
      .describe('The first 4 KiB of what was answered; null when it is not known'),
  })
  .meta({
    id: 'DeliveryAttempt',
    example: {
      number: 1,
      started_at: '2026-03-20T10:30:08.430Z',
      status_code: 200,
      duration_ms: 180,
      error: null,
      error_stage: null,
      response: 'ok',
    },
  });

/** `expired` also while it waits to be ended. */
export const deliveryStatus = z.enum(['pending', 'delivered', 'failed', 'expired']);

export const Delivery = z
  .object({
    id: idField('dlv'),
    endpoint_id: idField('wh')
      .nullable()
      .meta({ description: 'Null for an execution’s own `webhook_url`', example: exampleId('wh') }),
    url: z.string().meta({ example: 'https://example.com/hooks/holdfast' }),
    event_id: idField('evt'),
    event_type: z.string().meta({ example: 'execution.completed' }),
    execution_id: idField('exec')
      .nullable()
      .meta({ description: 'Null when the event tells of an endpoint', example: exampleId('exec') }),
    about_endpoint_id: idField('wh')
      .nullable()
      .meta({ description: 'The endpoint that the event tells of, if any', example: null }),
    status: deliveryStatus.meta({ example: 'delivered' }),
    attempts: z.array(DeliveryAttempt).describe('The last 50 at most'),
    next_attempt_at: timestamp('When it is tried next').nullable(),
    created_at: timestamp('When it was made').meta({ example: '2026-03-20T10:30:08.425Z' }),
    expires_at: timestamp('When it is given up').meta({ example: '2026-03-21T10:30:08.420Z' }),
    finished_at: timestamp('When it was delivered or given up')
      .nullable()
      .meta({ example: '2026-03-20T10:30:08.610Z' }),
  })
  .meta({ id: 'Delivery' });

export function deliveryRecord(row: DeliveryRow): z.infer<typeof Delivery> {
  return {
    id: row.id,
    endpoint_id: row.endpointId,
    url: row.url,
    event_id: row.eventId,
    event_type: row.eventType,
    execution_id: row.executionId,
    about_endpoint_id: row.aboutEndpointId,
    status: row.state,
    attempts: row.attempts.map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt.toISOString(),
      status_code: attempt.statusCode,
      duration_ms: attempt.durationMs,
      error: attempt.error,
      error_stage: attempt.stage,
      response: attempt.answer,
    })),
    next_attempt_at: (row.state === 'pending' ? row.nextAttemptAt?.toISOString() : null) ?? null,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

/** The query of a list of deliveries. */
export const deliveryQuery = pageQuery({ limit: 20, maxLimit: 100 }).extend({
  status: deliveryStatus.optional().describe('Only these'),
  event_type: z
    .enum([...eventTypes, ...endpointEventTypes])
    .optional()
    .describe('Only those of events of this type'),
  created_after: timeFilter('Only those made after this time'),
  created_before: timeFilter('Only those made before this time'),
});

export const DeliveryPage = z
  .object({ deliveries: z.array(Delivery), ...pageFields })
  .meta({ id: 'DeliveryPage' });

/** @throws INPUT_VALIDATION_ERROR for a cursor that none of our pages gave */
export function deliveryFilter(query: z.infer<typeof deliveryQuery>) {
  return {
    state: query.status,
    eventType: query.event_type,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
    cursor: checkedCursor('dlv', query.cursor),
  };
}

export function deliveryPage(rows: DeliveryRow[], limit: number): z.infer<typeof DeliveryPage> {
  const { items, page } = pageOf(rows, limit);
  return { deliveries: items.map(deliveryRecord), ...page };
}
