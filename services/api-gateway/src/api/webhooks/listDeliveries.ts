import { listDeliveries as readDeliveries, searchedPerPage } from '@holdfast/db/webhooks/deliveries';
import { boundModels } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams, withCommas } from '../../http/fields.ts';
import {
  DeliveryPage,
  deliveryFilter,
  deliveryPage,
  deliveryQuery,
  isUsableDeliveryPage,
} from './deliveryRecord.ts';
import { findEndpoint } from './endpointRecord.ts';

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/v1/webhooks/endpoints/{id}/deliveries',
  operationId: 'listWebhookEndpointDeliveries',
  tag: 'Webhooks',
  summary: 'List deliveries to an endpoint',
  description:
    'Newest first, each with its attempts. Deliveries are kept for 30 days, or longer if the operator configures it. ' +
    `A page looks at ${withCommas(searchedPerPage)} deliveries at most: continue with \`cursor\` while \`has_more\` is true, ` +
    'even when a filtered page has few items or none.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  query: deliveryQuery,
  responses: { 200: { description: 'A page of deliveries', schema: DeliveryPage } },
  async handle({ context, caller, params, query }) {
    const { id } = await findEndpoint(context.db, caller.organizationId, params.id);
    const filter = {
      endpointId: id,
      state: query.status,
      models: boundModels(caller),
      ...deliveryFilter(query),
    };
    const found = await context.reader.read(
      caller.organizationId,
      (db) => readDeliveries(db, caller.organizationId, filter, query.limit + 1),
      isUsableDeliveryPage(query.cursor),
    );
    return { status: 200, body: deliveryPage(found, query.limit) };
  },
});
