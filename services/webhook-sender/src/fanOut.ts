import type { Database } from '@holdfast/db/client';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/claimDeliveries';
import { readEventsToFanOut } from '@holdfast/db/webhooks/eventsToFanOut';
import { fanOutEvents } from '@holdfast/db/webhooks/fanOutEvents';
import { limits } from '@holdfast/domain/limits';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { Slots } from '@holdfast/kit/slots';
import { leaseS } from './deliver.ts';
import { type PlannedEvent, planFanOut } from './planFanOut.ts';

/**
 * Turns events into deliveries, many at a time; an id that is unknown or done already changes nothing. As far as there
 * are slots the first attempt is made here at once, without a job: most deliveries need no second.
 */
export function createFanOut(args: {
  db: Database;
  log: Logger;
  firstDelayS: number;
  slots: Slots;
  attempt(delivery: ClaimedDelivery): Promise<void>;
  /** Told, once they are committed, of the new deliveries that are not attempted here. */
  left(deliveryIds: string[]): Promise<void>;
  /** Told how many deliveries there are. */
  written(deliveries: number): void;
}): Batcher<string, undefined> {
  const { db, log, firstDelayS, slots } = args;

  async function run(eventIds: string[]): Promise<undefined[]> {
    const events = await readEventsToFanOut(db, [...new Set(eventIds)]);
    const planned = events.flatMap((event) => planFanOut(event, log));
    if (planned.length > 0) await write(planned);
    return eventIds.map(() => undefined);
  }

  async function write(planned: PlannedEvent[]): Promise<void> {
    const well = planned.flatMap(({ receivers }) => receivers.filter(({ isFailing }) => !isFailing));
    const mine = new Set(well.slice(0, firstDelayS > 0 ? 0 : slots.takeFree(well.length)));
    const batch = planned.map(({ receivers, ...event }) => ({
      ...event,
      receivers: receivers.map((receiver) => ({ ...receiver, take: mine.has(receiver) })),
    }));
    let used = 0;
    try {
      const expiryMs = limits.webhookExpiryMs;
      const deliveries = await fanOutEvents(db, batch, { firstDelayS, expiryMs, leaseS });
      args.written(deliveries.length);
      const byEvent = new Map(planned.map((event) => [event.eventId, event]));
      const claimed = deliveries
        .filter(({ taken }) => taken)
        .map((delivery) => toClaimed(delivery, byEvent.get(delivery.eventId)));
      used = claimed.length;
      for (const delivery of claimed) void args.attempt(delivery);
      await args.left(deliveries.filter(({ taken }) => !taken).map(({ id }) => id));
    } finally {
      slots.give(mine.size - used);
    }
  }

  return createBatcher({ maxSize: 100, concurrency: 2, run });
}

function toClaimed(
  { id, endpointId }: { id: string; endpointId: string | null },
  event: PlannedEvent | undefined,
): ClaimedDelivery {
  const receiver = event?.receivers.find((one) => one.endpointId === endpointId);
  if (!event || !receiver) throw new Error('a delivery of nobody was written');
  const { eventId, executionId, body } = event;
  const { url, secret, headers } = receiver;
  const first = { attempts: 1, number: 1, isProbe: false };
  return { id, ...first, endpointId, url, secret, headers, eventId, executionId, body: body ?? '' };
}
