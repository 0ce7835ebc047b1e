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
import type { Context } from '../context.ts';
import { eventText } from '../endpoints/events/eventRecord.ts';

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
