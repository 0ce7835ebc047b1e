import type { DeliveryPage as Deliveries, DeliveryRow } from '@holdfast/db/webhooks/deliveries';
import { batchEventTypes, endpointEventTypes, eventTypes } from '@holdfast/domain/events';
import { z } from 'zod';
import { exampleId, idField, timeFilter, timestamp, toDate } from '../../http/fields.ts';
import { checkedCursor, pageEnd, pageFields, pageQuery } from '../../http/paging.ts';

export const DeliveryAttempt = z
  .object({
    number: z.int(),
    started_at: timestamp('When the request was sent'),
    status_code: z.int().nullable().describe('Null when there was no response'),
    duration_ms: z.int().nullable(),
    error: z.string().nullable().describe('Null: the attempt succeeded, is still running or was interrupted'),
    error_stage: z
      .string()
      .nullable()
      .describe(
        'The stage at which the attempt failed: `policy` (the URL is not allowed), `dns`, `connect`, `tls`, `timeout`, ' +
          '`response` (not a 2xx, or unreadable), `aborted`, `unprepared` (the request could not be built)',
      ),
    response: z.string().nullable().describe('The first 4 KiB of the response body; null when unknown'),
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

/** A delivery past its expiry counts as `expired` before it is finished. */
export const deliveryStatus = z.enum(['pending', 'delivered', 'failed', 'expired']);

export const Delivery = z
  .object({
    id: idField('dlv'),
    endpoint_id: idField('wh')
      .nullable()
      .meta({ description: 'Null for the `webhook_url` of an execution', example: exampleId('wh') }),
    url: z.string().meta({ example: 'https://example.com/hooks/holdfast' }),
    event_id: idField('evt'),
    event_type: z.string().meta({ example: 'execution.completed' }),
    execution_id: idField('exec')
      .nullable()
      .meta({ description: 'Null when the event is about an endpoint', example: exampleId('exec') }),
    about_endpoint_id: idField('wh')
      .nullable()
      .meta({ description: 'The endpoint that the event is about, if any', example: null }),
    status: deliveryStatus.meta({ example: 'delivered' }),
    attempts: z.array(DeliveryAttempt).describe('At most the last 50'),
    next_attempt_at: timestamp('When it is attempted next').nullable(),
    created_at: timestamp('When it was created').meta({ example: '2026-03-20T10:30:08.425Z' }),
    expires_at: timestamp('When it expires if it has not succeeded').meta({
      example: '2026-03-21T10:30:08.420Z',
    }),
    finished_at: timestamp('When it was delivered, failed or expired')
      .nullable()
      .meta({ example: '2026-03-20T10:30:08.610Z' }),
  })
  .meta({ id: 'Delivery' });

export function attemptRecord(attempt: DeliveryRow['attempts'][number]): z.infer<typeof DeliveryAttempt> {
  return {
    number: attempt.number,
    started_at: attempt.startedAt.toISOString(),
    status_code: attempt.statusCode,
    duration_ms: attempt.durationMs,
    error: attempt.error,
    error_stage: attempt.stage,
    response: attempt.response,
  };
}

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
    attempts: row.attempts.map(attemptRecord),
    next_attempt_at: (row.state === 'pending' ? row.nextAttemptAt?.toISOString() : null) ?? null,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

export const deliveryQuery = pageQuery({ limit: 20, maxLimit: 100 }).extend({
  status: deliveryStatus.optional().describe('Only deliveries with this status'),
  event_type: z
    .enum([...eventTypes, ...endpointEventTypes, ...batchEventTypes])
    .optional()
    .describe('Only deliveries of events of this type'),
  attempted: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: only deliveries that were attempted; `false`: only those that were not'),
  created_after: timeFilter('Only deliveries created after this time'),
  created_before: timeFilter('Only deliveries created before this time'),
});

export const DeliveryPage = z
  .object({ deliveries: z.array(Delivery), ...pageFields })
  .meta({ id: 'DeliveryPage' });

/** @throws INPUT_VALIDATION_ERROR for a cursor that no page returned */
export function deliveryFilter(query: Omit<z.infer<typeof deliveryQuery>, 'status'>) {
  return {
    eventType: query.event_type,
    isAttempted: query.attempted && query.attempted === 'true',
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
    cursor: checkedCursor('dlv', query.cursor),
  };
}

/** A page of rows that were read with a limit one above the page's. */
export function pageOfDeliveries<Row extends DeliveryRow>({ rows, reached }: Deliveries<Row>, limit: number) {
  const items = rows.slice(0, limit);
  return { items, page: pageEnd(rows.length > limit ? (items.at(-1)?.id ?? null) : reached) };
}

export function deliveryPage(read: Deliveries, limit: number): z.infer<typeof DeliveryPage> {
  const { items, page } = pageOfDeliveries(read, limit);
  return { deliveries: items.map(deliveryRecord), ...page };
}

/** As `isUsablePage`: a page that found nothing among its deliveries is complete. */
export function isUsableDeliveryPage(cursor: string | undefined) {
  return ({ rows, reached }: Deliveries) => cursor === undefined || rows.length > 0 || reached !== null;
}
