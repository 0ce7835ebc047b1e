import { maxCounted, readEndpointBacklog } from '@holdfast/db/webhooks/endpointBacklog';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { idField, idParams, timestamp, withCommas } from '../../http/fields.ts';
import { attemptRecord, DeliveryAttempt } from './deliveryRecord.ts';
import { findEndpoint } from './endpointRecord.ts';

const Backlog = z
  .object({
    deactivated_at: timestamp('When failures turned the endpoint off')
      .nullable()
      .describe('Null: the endpoint is active, or was turned off by a request'),
    waiting: z.int().describe(`Pending deliveries, counted up to ${withCommas(maxCounted)}`),
    has_more_waiting: z.boolean().describe('Whether more deliveries are pending than were counted'),
    last_attempts: z
      .array(
        DeliveryAttempt.extend({ delivery_id: idField('dlv'), event_type: z.string() }).meta({
          id: 'LastDeliveryAttempt',
        }),
      )
      .describe('The last attempt of each of up to five deliveries, newest first'),
  })
  .meta({ id: 'WebhookEndpointBacklog' });

export const getEndpointBacklog = endpoint({
  method: 'GET',
  path: '/v1/webhooks/endpoints/{id}/backlog',
  operationId: 'getWebhookEndpointBacklog',
  tag: 'Webhooks',
  summary: 'Show what waits for an endpoint, and its last responses',
  description:
    'How many deliveries are pending, since when failures have kept the endpoint off, and what its receiver last responded. ' +
    'The attempts are found among its newest 1,000 deliveries and the first 1,000 after its last success.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  responses: { 200: { description: 'The backlog', schema: Backlog } },
  async handle({ context, caller, params }) {
    const { id } = await findEndpoint(context.db, caller.organizationId, params.id);
    const { deactivatedAt, waiting, attempts } = await context.reader.read(caller.organizationId, (db) =>
      readEndpointBacklog(db, id),
    );
    return {
      status: 200,
      body: {
        deactivated_at: deactivatedAt?.toISOString() ?? null,
        waiting: Math.min(waiting, maxCounted),
        has_more_waiting: waiting > maxCounted,
        last_attempts: attempts.map(({ deliveryId, eventType, ...attempt }) => ({
          ...attemptRecord(attempt),
          delivery_id: deliveryId,
          event_type: eventType,
        })),
      },
    };
  },
});
