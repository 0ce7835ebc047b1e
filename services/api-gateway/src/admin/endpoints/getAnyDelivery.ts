import { getAnyDelivery as readDelivery, type WholeDelivery } from '@holdfast/db/webhooks/anyDeliveries';
import { eventTypes, thinEventBody } from '@holdfast/domain/events';
import { z } from 'zod';
import { deliveryRecord } from '../../api/webhooks/deliveryRecord.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { AnyDelivery } from '../webhookRecords.ts';

export const getAnyDelivery = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/webhooks/deliveries/{id}',
  tag: 'Webhooks',
  summary: "Read any organization's delivery, with the body that it sends",
  access: 'operator',
  limit: 'other',
  params: idParams('dlv', 'id'),
  responses: {
    200: {
      description: 'The delivery',
      schema: AnyDelivery.extend({
        body: z.string().nullable().describe('The bytes that every attempt sends; null: they were erased'),
      }).meta({ id: 'DeliveryWithBody' }),
    },
  },
  async handle({ context, params }) {
    const found = await readDelivery(context.db, requireId('dlv', params.id, 'delivery'));
    if (!found) throw notFound('delivery');
    const body = found.isThin ? thinBodyOf(found) : found.body;
    return {
      status: 200,
      body: { ...deliveryRecord(found), organization_id: found.organizationId, body },
    };
  },
});

/** As the sender makes it; events about endpoints are sent in full. */
function thinBodyOf(delivery: WholeDelivery): string | null {
  const { body, eventId: id, executionId, organizationId, eventCreatedAt: createdAt } = delivery;
  const type = eventTypes.find((known) => known === delivery.eventType);
  if (body === null || type === undefined || executionId === null) return body;
  return thinEventBody({ id, type, organizationId, executionId, createdAt });
}
