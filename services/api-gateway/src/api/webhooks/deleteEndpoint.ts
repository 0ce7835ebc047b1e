import { removeWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';

export const deleteEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/webhooks/endpoints/{id}',
  operationId: 'deleteWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Pending deliveries to the endpoint are dropped.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  responses: {
    200: {
      description: 'The endpoint is deleted',
      schema: z
        .object({ id: idField('wh'), deleted: z.literal(true) })
        .meta({ id: 'DeletedWebhookEndpoint' }),
    },
  },
  async handle({ context, caller, params }) {
    const id = requireId('wh', params.id, 'webhook endpoint');
    if (!(await removeWebhookEndpoint(context.db, caller.organizationId, id)))
      throw notFound('webhook endpoint');
    return { status: 200, body: { id, deleted: true } };
  },
});
