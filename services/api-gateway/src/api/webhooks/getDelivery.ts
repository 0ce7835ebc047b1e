import { getDelivery as readDelivery } from '@holdfast/db/webhooks/deliveries';
import { endpoint } from '../../context/endpoint.ts';
import { requireReadable } from '../../executions/readable.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { Delivery, deliveryRecord } from './deliveryRecord.ts';

export const getDelivery = endpoint({
  method: 'GET',
  path: '/v1/webhooks/deliveries/{id}',
  operationId: 'getWebhookDelivery',
  tag: 'Webhooks',
  summary: 'Read a delivery',
  description: 'Includes its attempts.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('dlv', 'id'),
  responses: { 200: { description: 'The delivery', schema: Delivery } },
  async handle({ context, caller, params }) {
    const id = requireId('dlv', params.id, 'delivery');
    const delivery = await readDelivery(context.db, caller.organizationId, id);
    if (!delivery) throw notFound('delivery');
    await requireReadable(context, caller, delivery.executionId, 'delivery');
    return { status: 200, body: deliveryRecord(delivery) };
  },
});
