import { listDeliveries as readDeliveries } from '@holdfast/db/webhookEndpoints/listDeliveries';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { findEndpoint } from '../../webhooks/findEndpoint.ts';
import { Delivery, deliveryRecord } from './deliveryRecord.ts';

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/v1/webhooks/endpoints/{id}/deliveries',
  tag: 'Webhooks',
  summary: 'List deliveries to an endpoint',
  description: 'Newest first, each with its attempts.',
  permission: 'full',
  limit: 'other',
  params: idParams('wh', 'id'),
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    status: z.enum(['pending', 'delivered', 'failed', 'expired']).optional().describe('Only these'),
  }),
  responses: {
    200: {
      description: 'A page of deliveries',
      schema: z.object({ deliveries: z.array(Delivery), ...pageFields }).meta({ id: 'DeliveryPage' }),
    },
  },
  async handle({ context, caller, params, query }) {
    const { id } = await findEndpoint(context.db, caller.organizationId, params.id);
    const rows = await readDeliveries(context.db, {
      endpointId: id,
      limit: query.limit + 1,
      cursor: checkedCursor('dlv', query.cursor),
      state: query.status,
    });
    const { items, page } = pageOf(rows, query.limit);
    return { status: 200, body: { deliveries: items.map(deliveryRecord), ...page } };
  },
});
