import { listWebhookEndpoints } from '@holdfast/db/webhooks/endpoints';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { WebhookEndpoint, webhookEndpointRecord } from './endpointRecord.ts';

export const listEndpoints = endpoint({
  method: 'GET',
  path: '/v1/webhooks/endpoints',
  operationId: 'listWebhookEndpoints',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'Newest first.',
  scope: 'webhooks',
  limit: 'other',
  query: pageQuery({ limit: 100, maxLimit: 100 }),
  responses: {
    200: {
      description: 'A page of endpoints',
      schema: z
        .object({ endpoints: z.array(WebhookEndpoint), ...pageFields })
        .meta({ id: 'WebhookEndpointPage' }),
    },
  },
  async handle({ context, caller, query }) {
    const rows = await listWebhookEndpoints(context.db, {
      organizationId: caller.organizationId,
      limit: query.limit + 1,
      cursor: checkedCursor('wh', query.cursor),
    });
    const { items, page } = pageOf(rows, query.limit);
    return { status: 200, body: { endpoints: items.map(webhookEndpointRecord), ...page } };
  },
});
