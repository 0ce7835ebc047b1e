import { listDeliveries } from '@holdfast/db/webhooks/deliveries';
import { boundModels } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idFilter } from '../../http/fields.ts';
import {
  DeliveryPage,
  deliveryFilter,
  deliveryPage,
  deliveryQuery,
  isUsableDeliveryPage,
} from './deliveryRecord.ts';

export const listExecutionDeliveries = endpoint({
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  operationId: 'listWebhookDeliveries',
  tag: 'Webhooks',
  summary: "List an execution's deliveries",
  description:
    'Deliveries to all endpoints and to the `webhook_url` of the execution. Newest first, each with its attempts.',
  scope: 'webhooks',
  limit: 'other',
  query: deliveryQuery.extend({ execution_id: idFilter('exec', 'The execution') }),
  responses: { 200: { description: 'A page of deliveries', schema: DeliveryPage } },
  async handle({ context, caller, query }) {
    const { execution_id: executionId } = query;
    const filter = {
      executionId,
      state: query.status,
      models: boundModels(caller),
      ...deliveryFilter(query),
    };
    const found = await context.reader.read(
      caller.organizationId,
      (db) => listDeliveries(db, caller.organizationId, filter, query.limit + 1),
      isUsableDeliveryPage(query.cursor),
    );
    return { status: 200, body: deliveryPage(found, query.limit) };
  },
});
