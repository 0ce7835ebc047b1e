import { getDelivery } from '@holdfast/db/webhooks/deliveries';
import { redeliver } from '@holdfast/db/webhooks/redelivery';
import { ApiError } from '@holdfast/domain/errors';
import { endpoint } from '../../context/endpoint.ts';
import { requireReadable } from '../../executions/readable.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { Delivery, deliveryRecord } from './deliveryRecord.ts';

export const postRedeliver = endpoint({
  method: 'POST',
  path: '/v1/webhooks/deliveries/{id}/redeliver',
  operationId: 'resendWebhookDelivery',
  tag: 'Webhooks',
  summary: 'Resend a delivery',
  description:
    'Makes the delivery due at once, whatever its status, with the same event id and body and a new expiry in 24 hours. An inactive endpoint receives it once it is active. 410 when its execution was erased, 404 when it is no longer kept, or its endpoint was deleted.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('dlv', 'id'),
  responses: { 202: { description: 'The delivery is due', schema: Delivery } },
  errors: ['EXECUTION_ERASED'],
  async handle({ context, caller, params }) {
    const id = requireId('dlv', params.id, 'delivery');
    const known = await getDelivery(context.db, caller.organizationId, id);
    if (!known) throw notFound('delivery');
    await requireReadable(context, caller, known.executionId, 'delivery');
    const delivery = await redeliver(context.db, caller.organizationId, id);
    if (!delivery) throw new ApiError('NOT_FOUND', 'The endpoint of this delivery was deleted.');
    if (delivery === 'erased') {
      throw new ApiError('EXECUTION_ERASED', 'The content of this delivery was erased with its execution.');
    }
    await context.deliver.add({ lane: delivery.lane, organizationId: caller.organizationId });
    return { status: 202, body: deliveryRecord(delivery) };
  },
});
