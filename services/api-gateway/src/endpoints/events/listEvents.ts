import { type EventPage, listEvents as readEvents } from '@holdfast/db/events';
import { getWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { invalidField } from '@holdfast/domain/errors';
import { subscribableEvents, subscribedTypes } from '@holdfast/domain/eventTypes';
import { z } from 'zod';
import { boundModels, mayReadModel } from '../../apiKeys/modelAccess.ts';
import type { Context } from '../../context.ts';
import { type Caller, endpoint } from '../../http/endpoint.ts';
import { idFilter, timeFilter, toDate } from '../../http/fields.ts';
import { checkedCursor, isUsablePage, pageFields, pageQuery } from '../../http/paging.ts';
import { AnyEvent, eventRecord } from './eventRecord.ts';

const Query = pageQuery({ limit: 20, maxLimit: 100 }).extend({
  type: z.enum(subscribableEvents).optional().describe('Only those of this type'),
  execution_id: idFilter('exec', 'Only those of this execution').optional(),
  endpoint_id: idFilter(
    'wh',
    'Only those that this endpoint asks for, by its `events` and `models`',
  ).optional(),
  undelivered: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'true: only those that were not delivered: with `endpoint_id` to that endpoint, else to somebody, or to nobody. Of ' +
        'the time whose deliveries are kept',
    ),
  created_after: timeFilter('Only those that happened after this time'),
  created_before: timeFilter('Only those that happened before this time'),
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .describe('`asc`: the oldest first, to catch up from a time onwards'),
});

export const listEvents = endpoint({
  method: 'GET',
  path: '/v1/events',
  tag: 'Events',
  summary: 'List events',
  description:
    'Newest first, each in full as a webhook delivers it (over 256 KiB thin, and `truncated`). A receiver that was down catches up with ' +
    '`order=asc&created_after=…`, and with `undelivered=true` reads what it has missed alone. An event is listed within ' +
    'seconds of its `timestamp`, not always in that order: begin a minute earlier than you stopped and drop the ids that ' +
    'you have seen. While `has_more` is true read on with `cursor`, even if a page of undelivered events, or with `endpoint_id`, holds few or none.',
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
    const asked = {
      filter: {
        ...(await askedFor(context, caller, query)),
        executionId: query.execution_id,
        createdAfter: toDate(query.created_after),
        createdBefore: toDate(query.created_before),
        cursor: checkedCursor('evt', query.cursor),
      },
      undelivered: query.undelivered === 'true' ? { to: query.endpoint_id ?? null } : null,
      isAscending: query.order === 'asc',
      limit: query.limit + 1,
    };
    const isWhole = isUsablePage(query.cursor);
    const page = await context.lists.read(
      (db) => readEvents(db, organizationId, asked),
      ({ rows, reached }) => reached !== null || isWhole(rows),
    );
    return { status: 200, body: answer(page, query.limit) };
  },
});

/** What `type` and `endpoint_id` come to. @throws INPUT_VALIDATION_ERROR for an endpoint that there is not */
async function askedFor(
  { db }: Context,
  caller: Pick<Caller, 'organizationId' | 'models'>,
  query: z.infer<typeof Query>,
) {
  const types = query.type && subscribedTypes([query.type]);
  const { endpoint_id: id } = query;
  if (id === undefined) return { types, models: boundModels(caller) };
  const receiver = await getWebhookEndpoint(db, caller.organizationId, id);
  if (!receiver) throw invalidField('endpoint_id', 'NOT_FOUND', 'There is no such webhook endpoint.');
  const asked = subscribedTypes(receiver.events);
  return {
    types: types ? asked.filter((type) => types.includes(type)) : asked,
    models:
      receiver.models.length > 0
        ? receiver.models.filter((slug) => mayReadModel(caller, slug))
        : boundModels(caller),
    notAbout: id,
  };
}

function answer({ rows, reached }: EventPage, limit: number) {
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? (items.at(-1)?.eventId ?? null) : reached;
  return { data: items.map(eventRecord), has_more: next !== null, next_cursor: next };
}
