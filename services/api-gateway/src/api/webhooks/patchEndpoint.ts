import { updateWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { z } from 'zod';
import { modelsWithin, unknownModels } from '../../access/models.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { invalidInput } from '../../http/validate.ts';
import { headerProblems, sealedHeaders } from './customHeaders.ts';
import {
  descriptionField,
  dialectField,
  eventsField,
  headersField,
  maxInFlightField,
  maxPerSecondField,
  modelsField,
  payloadField,
} from './endpointFields.ts';
import { WebhookEndpoint, webhookEndpointRecord } from './endpointRecord.ts';

const Body = z
  .strictObject({
    events: eventsField.optional(),
    models: modelsField.optional(),
    payload: payloadField.optional(),
    dialect: dialectField.optional(),
    max_in_flight: maxInFlightField.optional(),
    max_per_second: maxPerSecondField.optional(),
    headers: headersField.optional().describe('Replaces all headers; `{}` removes them'),
    description: descriptionField.optional(),
    is_active: z.boolean().optional(),
  })
  .meta({ id: 'WebhookEndpointChanges' });

export const patchEndpoint = endpoint({
  method: 'PATCH',
  path: '/v1/webhooks/endpoints/{id}',
  operationId: 'updateWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint',
  description:
    'Omitted fields stay unchanged. Setting `is_active` to true resets `failure_count` and sends pending deliveries. ' +
    'Call `recover` for events that the endpoint missed while failures had deactivated it.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: Body,
  responses: { 200: { description: 'The changed endpoint', schema: WebhookEndpoint } },
  async handle({ context, caller, params, body }) {
    const { organizationId } = caller;
    const id = requireId('wh', params.id, 'webhook endpoint');
    const models = body.models && modelsWithin(caller, body.models);
    await check(context, body);
    const row = await updateWebhookEndpoint(context.db, organizationId, id, {
      events: body.events && [...new Set(body.events)],
      models,
      payload: body.payload,
      dialect: body.dialect,
      maxInFlight: body.max_in_flight,
      maxPerSecond: body.max_per_second,
      headers: body.headers && sealedHeaders(context.box, body.headers),
      description: body.description,
      isActive: body.is_active,
    });
    if (!row) throw notFound('webhook endpoint');
    if (body.is_active) await context.deliver.add({ lane: id, organizationId });
    return { status: 200, body: webhookEndpointRecord(row) };
  },
});

async function check(
  { models }: Context,
  { headers = {}, models: slugs = [] }: z.infer<typeof Body>,
): Promise<void> {
  const details = [...headerProblems(headers), ...(await unknownModels(models, slugs))];
  if (details.length > 0) throw invalidInput(details);
}
