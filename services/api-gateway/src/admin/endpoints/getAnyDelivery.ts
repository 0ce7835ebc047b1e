import { getAnyDelivery as readDelivery } from '@holdfast/db/webhooks/anyDeliveries';
import { deliveryBody } from '@holdfast/domain/events';
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
    const body = found.body && deliveryBody({ ...found, body: found.body });
    return {
      status: 200,
      body: { ...deliveryRecord(found), organization_id: found.organizationId, body },
    };
  },
});
