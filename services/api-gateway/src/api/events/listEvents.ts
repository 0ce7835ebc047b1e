import { listEvents as readEvents } from '@holdfast/db/events';
import { getWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { invalidField } from '@holdfast/domain/errors';
import { subscribableEvents, subscribedTypes } from '@holdfast/domain/events';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { type Caller } from '../../access/identity.ts';
import { boundModels, mayReadModel } from '../../access/models.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idFilter, timeFilter, toDate } from '../../http/fields.ts';
import { checkedCursor, isUsablePage, pageEnd, pageFields, pageQuery } from '../../http/paging.ts';
import { AnyEvent, eventRecord } from './eventRecord.ts';

const Query = pageQuery({ limit: 20, maxLimit: 100, maxBytes: limits.pageBytes }).extend({
  type: z.enum(subscribableEvents).optional().describe('Only events of this type'),
  execution_id: idFilter('exec', 'Only events of this execution').optional(),
  endpoint_id: idFilter(
    'wh',
    'Only events that this endpoint subscribes to with its `events` and `models`',
  ).optional(),
  undelivered: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'true: only events with a delivery that has not succeeded, or with no delivery at all; with `endpoint_id`, events ' +
        'not delivered to that endpoint. Limited to the period for which deliveries are kept',
    ),
  created_after: timeFilter('Only events after this time'),
  created_before: timeFilter('Only events before this time'),
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .describe('`asc`: oldest first, to catch up from a point in time'),
});

export const listEvents = endpoint({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'List events',
  description:
    'Newest first, each as a webhook delivers it (thin and `truncated` above 256 KiB). A receiver that was down catches ' +
    'up with `order=asc&created_after=…`; `undelivered=true` returns only missed events. Events appear within seconds of ' +
    'their `timestamp`, not always in order: start one minute before the point where you stopped and drop ids that you ' +
    'have already seen. Continue with `cursor` while `has_more` is true, even when a page filtered by `undelivered` or ' +
    '`endpoint_id` has few items or none.',
  scope: 'webhooks',
  limit: 'other',
  query: Query,
  responses: {
    200: {
      description: 'A page of events',
      schema: z.object({ data: z.array(AnyEvent), ...pageFields }).meta({ id: 'EventPage' }),
    },
  },
  async handle({ context, caller, query }) {
    const { organizationId } = caller;
    const request = {
      filter: {
        ...(await endpointFilter(context, caller, query)),
        executionId: query.execution_id,
        createdAfter: toDate(query.created_after),
        createdBefore: toDate(query.created_before),
        cursor: checkedCursor('evt', query.cursor),
      },
      undelivered: query.undelivered === 'true' ? { to: query.endpoint_id ?? null } : null,
      isAscending: query.order === 'asc',
      limit: query.limit,
    };
    const isUsable = isUsablePage(query.cursor);
    const { rows, next } = await context.reader.read(
      caller.organizationId,
      (db) => readEvents(db, organizationId, request),
      ({ rows, next }) => next !== null || isUsable(rows),
    );
    return {
      status: 200,
      body: { data: rows.map(eventRecord), ...pageEnd(next) },
    };
  },
});

/** The filter for `type` and `endpoint_id`. @throws INPUT_VALIDATION_ERROR for an unknown endpoint */
async function endpointFilter(
  { db }: Context,
  caller: Pick<Caller, 'organizationId' | 'models'>,
  query: z.infer<typeof Query>,
) {
  const types = query.type && subscribedTypes({ events: [query.type], dialect: 'holdfast' });
  const { endpoint_id: id } = query;
  if (id === undefined) return { types, models: boundModels(caller) };
  const endpoint = await getWebhookEndpoint(db, caller.organizationId, id);
  if (!endpoint) throw invalidField('endpoint_id', 'NOT_FOUND', 'The webhook endpoint does not exist.');
  const subscribed = subscribedTypes(endpoint);
  return {
    types: types ? subscribed.filter((type) => types.includes(type)) : subscribed,
    models:
      endpoint.models.length > 0
        ? endpoint.models.filter((slug) => mayReadModel(caller, slug))
        : boundModels(caller),
    notAbout: id,
  };
}
