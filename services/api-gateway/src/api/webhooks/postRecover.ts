import type { EventRow } from '@holdfast/db/events';
import type { WebhookEndpointRow } from '@holdfast/db/webhooks/endpoints';
import {
  deliverMissedEvents,
  type EventPlace,
  listMissedEvents,
  type MissedEvent,
} from '@holdfast/db/webhooks/missedEvents';
import { type Recovered, recoverDeliveries } from '@holdfast/db/webhooks/redelivery';
import { subscribedTypes } from '@holdfast/domain/events';
import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams, timeField, withCommas } from '../../http/fields.ts';
import { eventText } from '../events/eventRecord.ts';
import { findEndpoint } from './endpointRecord.ts';

/** Deliveries per call, which take about a second. */
const maxPerCall = 10_000;

export const postRecover = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/recover',
  operationId: 'recoverWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Recover failed deliveries and missed events',
  description:
    'Sends every failed or expired delivery since the given time once more, and the events of the last 24 hours that ' +
    'the endpoint missed while failures had deactivated it (not while you had deactivated it). Oldest first, at most ' +
    `${withCommas(maxPerCall)} per call: repeat while \`has_more\` is true. An inactive endpoint receives them ` +
    'once it is active.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: z
    .strictObject({
      since: timeField().meta({
        description: 'Deliveries created since this time',
        example: '2026-03-20T10:00:00Z',
      }),
    })
    .meta({ id: 'RecoverRequest' }),
  responses: {
    200: {
      description: 'The deliveries are due',
      schema: z
        .object({
          redelivered: z.int().meta({ description: 'Number of deliveries', example: 3 }),
          has_more: z.boolean().meta({ description: 'Whether there are more to recover', example: false }),
        })
        .meta({ id: 'Recovered' }),
    },
  },
  async handle({ context, caller, params, body }) {
    const { organizationId } = caller;
    const endpoint = await findEndpoint(context.db, organizationId, params.id);
    const since = new Date(body.since);
    const { count, hasMore } = await recover(context, organizationId, endpoint, since, maxPerCall);
    if (count > 0) await context.deliver.add({ lane: endpoint.id, organizationId });
    return { status: 200, body: { redelivered: count, has_more: hasMore } };
  },
});

type Logged = Pick<Context, 'db' | 'log'>;

/** Events rendered together. */
const pageSize = 100;

/** Deliveries first, then missed events, at most `limit`. Each page is one statement, so a call can be repeated. */
export async function recover(
  context: Logged,
  organizationId: string,
  endpoint: WebhookEndpointRow,
  since: Date,
  limit: number,
): Promise<Recovered> {
  const redelivered = await recoverDeliveries(context.db, endpoint.id, since, limit);
  if (redelivered.hasMore || redelivered.count === limit) return { ...redelivered, hasMore: true };
  const missed = await recoverMissed(context, organizationId, endpoint, since, limit - redelivered.count);
  return { count: redelivered.count + missed.count, hasMore: missed.hasMore };
}

async function recoverMissed(
  context: Logged,
  organizationId: string,
  { id, events, dialect, models }: WebhookEndpointRow,
  since: Date,
  limit: number,
): Promise<Recovered> {
  const endpoint = { id, organizationId, types: subscribedTypes({ events, dialect }), models };
  let count = 0;
  let after: EventPlace = { createdAt: since, id: '' };
  for (;;) {
    const maxRows = Math.min(pageSize, limit - count);
    const { rows, next } = await listMissedEvents(context.db, endpoint, after, maxRows);
    const missed = rows.flatMap((row) => rendered(context, row));
    count += await deliverMissedEvents(context.db, id, missed);
    const last = rows.at(-1);
    if (next === null || !last || count === limit) return { count, hasMore: next !== null };
    after = { createdAt: last.eventCreatedAt, id: last.eventId };
  }
}

/** An event that cannot be rendered does not block the others. */
function rendered({ log }: Logged, row: EventRow): MissedEvent[] {
  const { eventId: id, executionId } = row;
  try {
    return [{ id, executionId, body: eventText(row) }];
  } catch (error) {
    log.error({ err: error, eventId: id, executionId }, 'could not render an event');
    return [];
  }
}
