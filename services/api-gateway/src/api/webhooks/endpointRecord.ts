import type { Database } from '@holdfast/db/client';
import { getWebhookEndpoint, type WebhookEndpointRow } from '@holdfast/db/webhooks/endpoints';
import { z } from 'zod';
import { idField, notFound, requireId, timestamp } from '../../http/fields.ts';
import { dialectField, maxInFlightField, maxPerSecondField, payloadField } from './endpointFields.ts';
import { previousSecretValidUntil } from './secrets.ts';

export const WebhookEndpoint = z
  .object({
    id: idField('wh'),
    url: z.string().meta({ example: 'https://example.com/hooks/holdfast' }),
    description: z.string().meta({ example: 'Production' }),
    events: z.array(z.string()).meta({ example: ['execution.completed', 'execution.failed'] }),
    models: z.array(z.string()).meta({ description: 'Empty: all models', example: [] }),
    payload: payloadField,
    dialect: dialectField,
    max_in_flight: maxInFlightField,
    max_per_second: maxPerSecondField,
    is_active: z.boolean().describe('Whether deliveries are made'),
    status: z.enum(['active', 'inactive']).describe('`is_active` as a word'),
    failure_count: z.int().meta({ description: 'Failed deliveries in a row', example: 0 }),
    last_success: timestamp(
      'When a delivery last succeeded; during continuous deliveries up to five seconds late',
    )
      .nullable()
      .meta({ example: '2026-03-20T10:30:08.610Z' }),
    last_failure: timestamp('When a delivery last failed').nullable(),
    last_error: z.string().nullable().describe('The error of the last failure'),
    failing_since: timestamp('Since when the endpoint has been failing; null: it is not failing').nullable(),
    previous_secret_valid_until: previousSecretValidUntil,
    created_at: timestamp('When the endpoint was created'),
  })
  .meta({ id: 'WebhookEndpoint' });

export function webhookEndpointRecord(row: WebhookEndpointRow): z.infer<typeof WebhookEndpoint> {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    models: row.models,
    payload: row.payload,
    dialect: row.dialect,
    max_in_flight: row.maxInFlight,
    max_per_second: row.maxPerSecond,
    is_active: row.isActive,
    status: row.isActive ? 'active' : 'inactive',
    failure_count: row.failureCount,
    last_success: row.lastSuccess?.toISOString() ?? null,
    last_failure: row.lastFailure?.toISOString() ?? null,
    last_error: row.lastError,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_valid_until: row.previousSecretUntil?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

/** An endpoint by the id in a path. @throws NOT_FOUND */
export async function findEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await getWebhookEndpoint(db, organizationId, requireId('wh', id, 'webhook endpoint'));
  if (!row) throw notFound('webhook endpoint');
  return row;
}
