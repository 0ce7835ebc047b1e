import { listDueDeliveries } from '@holdfast/db/webhookEndpoints/due';
import { updateWebhookEndpoint } from '@holdfast/db/webhookEndpoints/update';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idParams, knownShape, notFound } from '../../http/fields.ts';
import { maxHints } from '../../webhooks/maxHints.ts';
import { descriptionField, eventsField } from './endpointFields.ts';
import { WebhookEndpoint, webhookEndpointRecord } from './endpointRecord.ts';

export const patchEndpoint = endpoint({
  method: 'PATCH',
  path: '/v1/webhooks/endpoints/{id}',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint',
  description:
    'Setting `is_active` to true resets `failure_count` and lets the deliveries flow that waited meanwhile.',
  permission: 'full',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: z
    .strictObject({
      events: eventsField.optional(),
      description: descriptionField.optional(),
      is_active: z.boolean().optional(),
    })
    .meta({ id: 'WebhookEndpointChanges' }),
  responses: { 200: { description: 'The endpoint as it is now', schema: WebhookEndpoint } },
  async handle({ context, caller, params, body }) {
    const id = knownShape('wh', params.id, 'webhook endpoint');
    const row = await updateWebhookEndpoint(context.db, caller.organizationId, id, {
      events: body.events && [...new Set(body.events)],
      description: body.description,
      isActive: body.is_active,
    });
    if (!row) throw notFound('webhook endpoint');
    if (body.is_active) {
      const due = await listDueDeliveries(context.db, id, maxHints);
      await context.deliver.addAll(due.map((deliveryId) => ({ deliveryId })));
    }
    return { status: 200, body: webhookEndpointRecord(row) };
  },
});
