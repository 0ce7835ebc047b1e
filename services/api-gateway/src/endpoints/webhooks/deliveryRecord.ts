import type { DeliveryRow } from '@holdfast/db/webhookEndpoints/deliveryRow';
import { z } from 'zod';
import { idField, timestamp } from '../../http/fields.ts';

const DeliveryAttempt = z
  .object({
    number: z.int(),
    started_at: timestamp('When it was sent'),
    status_code: z.int().nullable().describe('Null when there was no answer'),
    duration_ms: z.int().nullable(),
    error: z.string().nullable().describe('Null: it succeeded, or is under way'),
  })
  .meta({
    id: 'DeliveryAttempt',
    example: {
      number: 1,
      started_at: '2026-03-20T10:30:08.430Z',
      status_code: 200,
      duration_ms: 180,
      error: null,
    },
  });

export const Delivery = z
  .object({
    id: idField('dlv'),
    endpoint_id: idField('wh').nullable().describe('Null for an execution’s own `webhook_url`'),
    url: z.string().meta({ example: 'https://example.com/hooks/holdfast' }),
    event_id: idField('evt'),
    event_type: z.string().meta({ example: 'execution.completed' }),
    execution_id: idField('exec'),
    status: z.enum(['pending', 'delivered', 'failed', 'expired']).meta({ example: 'delivered' }),
    attempts: z.array(DeliveryAttempt),
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
    status: row.state,
    attempts: row.attempts.map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt.toISOString(),
      status_code: attempt.statusCode,
      duration_ms: attempt.durationMs,
      error: attempt.error,
    })),
    next_attempt_at: (row.state === 'pending' ? row.nextAttemptAt?.toISOString() : null) ?? null,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
