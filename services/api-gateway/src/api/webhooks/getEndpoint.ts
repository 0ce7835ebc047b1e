import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { findEndpoint, WebhookEndpoint, webhookEndpointRecord } from './endpointRecord.ts';

export const getEndpoint = endpoint({
  method: 'GET',
  path: '/v1/webhooks/endpoints/{id}',
  operationId: 'getWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  description:
    'Returns its settings and whether its deliveries succeed, without the secret and custom headers.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  responses: { 200: { description: 'The endpoint', schema: WebhookEndpoint } },
  async handle({ context, caller, params }) {
    const row = await findEndpoint(context.db, caller.organizationId, params.id);
    return { status: 200, body: webhookEndpointRecord(row) };
  },
});
