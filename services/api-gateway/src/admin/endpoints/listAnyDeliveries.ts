import { searchDeliveries } from '@holdfast/db/webhooks/anyDeliveries';
import { z } from 'zod';
import {
  deliveryFilter,
  deliveryQuery,
  deliveryRecord,
  deliveryStatus,
  pageOfDeliveries,
} from '../../api/webhooks/deliveryRecord.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { choicesFilter, idFilter } from '../../http/fields.ts';
import { pageFields } from '../../http/paging.ts';
import { AnyDelivery } from '../webhookRecords.ts';

export const listAnyDeliveries = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/webhooks/deliveries',
  tag: 'Webhooks',
  summary: "List any organization's deliveries",
  description:
    'Those of the newest executions first. A page looks at 20,000 deliveries at most: continue with `cursor` while ' +
    '`has_more` is true, even when it has few items or none.',
  access: 'operator',
  limit: 'other',
  query: deliveryQuery.extend({
    status: choicesFilter(deliveryStatus.options, 'Only deliveries with one of these statuses'),
    organization_id: idFilter('org', 'Only deliveries of this organization').optional(),
    endpoint_id: idFilter('wh', 'Only deliveries to this endpoint').optional(),
  }),
  responses: {
    200: {
      description: 'A page of deliveries',
      schema: z.object({ data: z.array(AnyDelivery), ...pageFields }).meta({ id: 'AnyDeliveryPage' }),
    },
  },
  async handle({ context, query }) {
    const search = {
      ...deliveryFilter(query),
      states: query.status,
      organizationId: query.organization_id,
      endpointId: query.endpoint_id,
    };
    const found = await context.reader.read('operators', (db) =>
      searchDeliveries(db, search, query.limit + 1),
    );
    const { items, page } = pageOfDeliveries(found, query.limit);
    const data = items.map((row) => ({ ...deliveryRecord(row), organization_id: row.organizationId }));
    return { status: 200, body: { data, ...page } };
  },
});
