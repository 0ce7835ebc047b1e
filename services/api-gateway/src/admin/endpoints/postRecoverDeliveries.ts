import { recoverMatching } from '@holdfast/db/webhooks/anyDeliveries';
import { searchedPerPage } from '@holdfast/db/webhooks/deliveries';
import { batchEventTypes, endpointEventTypes, eventTypes } from '@holdfast/domain/events';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idFilter, timeField, timeFilter, toDate, withCommas } from '../../http/fields.ts';
import { checkedCursor, pageEnd, pageFields } from '../../http/paging.ts';

/** Deliveries per call, which take a fraction of a second: a page shows how far it is. */
const maxPerCall = 1000;

export const postRecoverDeliveries = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/webhooks/deliveries/recover',
  tag: 'Webhooks',
  summary: 'Recover failed deliveries of any organization',
  description:
    'Sends every failed or expired delivery that matches once more, oldest first. A call recovers at most ' +
    `${withCommas(maxPerCall)} and looks at ${withCommas(searchedPerPage)}: repeat it with \`cursor\` while \`has_more\` is true. ` +
    'A call can be repeated: what it has recovered is no longer failed. Deliveries to deleted endpoints and erased events match, ' +
    'but are not sent.',
  access: 'operator',
  limit: 'other',
  body: z
    .strictObject({
      since: timeField().describe('Only deliveries created at this time or later'),
      until: timeFilter('Only deliveries created before this time'),
      organization_id: idFilter('org', 'Only deliveries of this organization').optional(),
      endpoint_id: idFilter('wh', 'Only deliveries to this endpoint').optional(),
      event_type: z.enum([...eventTypes, ...endpointEventTypes, ...batchEventTypes]).optional(),
      cursor: z.string().max(200).optional().describe('`next_cursor` of the previous call'),
      is_trial: z.boolean().default(false).describe('true: only counts'),
    })
    .meta({ id: 'RecoverDeliveriesRequest' }),
  responses: {
    200: {
      description: 'The deliveries are due',
      schema: z
        .object({
          matched: z.int().describe('Number of deliveries of this call that match'),
          redelivered: z.int().describe('Number of them that are due now'),
          ...pageFields,
        })
        .meta({ id: 'RecoveredDeliveries' }),
    },
  },
  async handle({ context, body }) {
    const search = {
      createdAfter: new Date(body.since),
      createdBefore: toDate(body.until),
      organizationId: body.organization_id,
      endpointId: body.endpoint_id,
      eventType: body.event_type,
      cursor: checkedCursor('dlv', body.cursor),
    };
    const page = { limit: maxPerCall, isTrial: body.is_trial };
    const { matched, redelivered, lanes, next } = await recoverMatching(context.db, search, page);
    await context.deliver.addAll(lanes);
    return {
      status: 200,
      body: { matched, redelivered, ...pageEnd(next) },
    };
  },
});
