import { endpointStates, readEndpointActivity, searchEndpoints } from '@holdfast/db/webhooks/anyEndpoints';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idFilter } from '../../http/fields.ts';
import { checkedCursor, pageEnd, pageFields, pageQuery } from '../../http/paging.ts';
import { AnyEndpointRecord, anyEndpointRecord } from '../webhookRecords.ts';

export const listAnyEndpoints = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/webhooks/endpoints',
  tag: 'Webhooks',
  summary: "List any organization's webhook endpoints",
  description:
    'Newest first, each with the success rate and latency of its newest deliveries. A page looks at 20,000 endpoints at most: ' +
    'continue with `cursor` while `has_more` is true, even when it has few items or none.',
  access: 'operator',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 50 }).extend({
    organization_id: idFilter('org', 'Only endpoints of this organization').optional(),
    state: z
      .enum(endpointStates)
      .optional()
      .describe('`failing`: active, and deliveries fail; `deactivated`: by failures; `inactive`: by anyone'),
    text: z.string().max(200).optional().describe('Only endpoints whose URL or description contains this'),
  }),
  responses: {
    200: {
      description: 'A page of endpoints',
      schema: z
        .object({ data: z.array(AnyEndpointRecord), ...pageFields })
        .meta({ id: 'AnyWebhookEndpointPage' }),
    },
  },
  async handle({ context, query }) {
    const { limit, organization_id: organizationId, state, text } = query;
    const search = { organizationId, state, text, cursor: checkedCursor('wh', query.cursor) };
    const { rows, reached } = await searchEndpoints(context.db, search, limit + 1);
    const items = rows.slice(0, limit);
    const activityOf = await context.reader.read('operators', (db) =>
      readEndpointActivity(
        db,
        items.map(({ id }) => id),
      ),
    );
    const next = rows.length > limit ? (items.at(-1)?.id ?? null) : reached;
    const data = items.map((row) => anyEndpointRecord(row, activityOf(row.id)));
    return { status: 200, body: { data, ...pageEnd(next) } };
  },
});
