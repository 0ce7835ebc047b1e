import { getAnyEndpoint as readEndpoint, readEndpointActivity } from '@holdfast/db/webhooks/anyEndpoints';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';
import { AnyEndpointRecord, anyEndpointRecord } from '../webhookRecords.ts';

export const getAnyEndpoint = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/webhooks/endpoints/{id}',
  tag: 'Webhooks',
  summary: "Read any organization's webhook endpoint",
  access: 'operator',
  limit: 'other',
  params: idParams('wh', 'id'),
  responses: { 200: { description: 'The endpoint', schema: AnyEndpointRecord } },
  async handle({ context, params }) {
    const row = await readEndpoint(context.db, requireId('wh', params.id, 'webhook endpoint'));
    if (!row) throw notFound('webhook endpoint');
    const activityOf = await context.reader.read('operators', (db) => readEndpointActivity(db, [row.id]));
    return { status: 200, body: anyEndpointRecord(row, activityOf(row.id)) };
  },
});
