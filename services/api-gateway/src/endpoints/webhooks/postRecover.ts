import type { EventRow } from '@holdfast/db/events';
import type { WebhookEndpointRow } from '@holdfast/db/webhooks/endpoints';
import {
  deliverMissedEvents,
  type EventPlace,
  listMissedEvents,
  type MissedEvent,
} from '@holdfast/db/webhooks/missedEvents';
import { type Recovered, recoverDeliveries } from '@holdfast/db/webhooks/redelivery';
import { subscribedTypes } from '@holdfast/domain/eventTypes';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { endpoint } from '../../http/endpoint.ts';
import { idParams, timeField } from '../../http/fields.ts';
import { eventText } from '../events/eventRecord.ts';
import { findEndpoint } from './endpointRecord.ts';

/** At one call, which takes about a second. */
const mostAtOnce = 10_000;

export const postRecover = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/recover',
  tag: 'Webhooks',
  summary: 'Send all that failed or was missed',
  description:
    'Every delivery to this endpoint made since then that has failed or expired becomes due again. So do the events of ' +
    'the last 24 hours that it missed while it was inactive after failures; not while you had switched it off. The ' +
    `oldest come first, at most ${mostAtOnce.toLocaleString('en')} at a call: call again while \`has_more\` is true. ` +
    'What is due at an inactive endpoint is sent once it is active.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: z
    .strictObject({
      since: timeField().meta({ description: 'ISO 8601', example: '2026-03-20T10:00:00Z' }),
    })
    .meta({ id: 'RecoverRequest' }),
  responses: {
    200: {
      description: 'How many are due',
      schema: z
        .object({
          redelivered: z.int().meta({ example: 3 }),
          has_more: z.boolean().meta({ description: 'Whether others are left', example: false }),
        })
        .meta({ id: 'Recovered' }),
    },
  },
  async handle({ context, caller, params, body }) {
    const { organizationId } = caller;
    const endpoint = await findEndpoint(context.db, organizationId, params.id);
    const since = new Date(body.since);
    const { count, hasMore } = await recover(context, organizationId, endpoint, since, mostAtOnce);
    if (count > 0) await context.deliver.add({ lane: endpoint.id, organizationId });
    return { status: 200, body: { redelivered: count, has_more: hasMore } };
  },
});

type Logged = Pick<Context, 'db' | 'log'>;

/** Events rendered at once: each may have an output of megabytes. */
const page = 100;

/**
 * Makes due what an endpoint has not got since then: deliveries that failed or expired, then events that it missed while it
 * was off after failures. At most `limit`; each page is written whole, so a call that breaks off can be repeated.
 */
export async function recover(
  context: Logged,
  organizationId: string,
  endpoint: WebhookEndpointRow,
  since: Date,
  limit: number,
): Promise<Recovered> {
  const again = await recoverDeliveries(context.db, endpoint.id, since, limit);
  if (again.hasMore) return again;
  const missed = await recoverMissed(context, organizationId, endpoint, since, limit - again.count);
  return { count: again.count + missed.count, hasMore: missed.hasMore };
}

async function recoverMissed(
  context: Logged,
  organizationId: string,
  { id, events, models }: WebhookEndpointRow,
  since: Date,
  limit: number,
): Promise<Recovered> {
  const endpoint = { id, organizationId, types: subscribedTypes(events), models };
  let count = 0;
  let after: EventPlace = { createdAt: since, id: '' };
  for (;;) {
    const most = Math.min(page, limit - count);
    const rows = await listMissedEvents(context.db, endpoint, after, most + 1);
    const missed = rows.slice(0, most).flatMap((row) => rendered(context, row));
    count += await deliverMissedEvents(context.db, id, missed);
    const last = rows[most - 1];
    if (rows.length <= most || !last) return { count, hasMore: rows.length > most };
    after = { createdAt: last.eventCreatedAt, id: last.eventId };
  }
}

/** One event that can't be rendered must not hold up the others. */
function rendered({ log }: Logged, row: EventRow): MissedEvent[] {
  const { eventId: id, executionId } = row;
  try {
    return [{ id, executionId, body: eventText(row) }];
  } catch (error) {
    log.error({ err: error, eventId: id, executionId }, 'event could not be rendered');
    return [];
  }
}
