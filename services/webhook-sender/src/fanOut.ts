import type { Database } from '@holdfast/db/client';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/claimedDelivery';
import { readEventsToFanOut } from '@holdfast/db/webhooks/eventsToFanOut';
import { fanOutEvents, type NewDelivery } from '@holdfast/db/webhooks/fanOutEvents';
import { limits } from '@holdfast/domain/limits';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { leaseS } from './deliver.ts';
import type { Lanes } from './lanes.ts';
import { type PlannedEvent, type PlannedReceiver, planFanOut } from './planFanOut.ts';

/**
 * Turns events into deliveries, many at a time; an id that is unknown or done already changes nothing. As far as there
 * is room in its lane the first attempt is made here at once: most deliveries need no second. The others are left to
 * their lanes.
 */
export function createFanOut(args: {
  db: Database;
  log: Logger;
  firstDelayS: number;
  lanes: Lanes;
  /** Told how many deliveries there are. */
  written(deliveries: number): void;
}): Batcher<string, undefined> {
  const { db, log, firstDelayS, lanes } = args;

  async function run(eventIds: string[]): Promise<undefined[]> {
    const events = await readEventsToFanOut(db, [...new Set(eventIds)]);
    const planned = events.flatMap((event) => planFanOut(event, log));
    if (planned.length > 0) await write(planned);
    return eventIds.map(() => undefined);
  }

  async function write(planned: PlannedEvent[]): Promise<void> {
    const batch = planned.map(({ event, body, receivers }) => ({
      eventId: event.id,
      body,
      receivers: receivers.map((receiver) => ({
        ...receiver,
        take: isTaken(event.organizationId, receiver),
      })),
    }));
    const places = Map.groupBy(
      batch.flatMap(({ receivers }) => receivers.filter(({ take }) => take)),
      ({ lane }) => lane,
    );
    const unused = new Map([...places].map(([lane, its]) => [lane, its.length]));
    try {
      const expiryMs = limits.webhookExpiryMs;
      const deliveries = await fanOutEvents(db, batch, { firstDelayS, expiryMs, leaseS });
      args.written(deliveries.length);
      const events = new Map(planned.map((one) => [one.event.id, one]));
      for (const delivery of deliveries) {
        const claimed = toClaimed(delivery, events.get(delivery.eventId));
        if (delivery.taken) {
          unused.set(claimed.lane, (unused.get(claimed.lane) ?? 0) - 1);
          lanes.run(claimed);
        } else if (mayBeSent(claimed)) lanes.wake(claimed);
      }
    } finally {
      for (const [lane, count] of unused) lanes.give(lane, count);
    }
  }

  function isTaken(organizationId: string, receiver: PlannedReceiver): boolean {
    return mayBeSent(receiver) && !receiver.isPaced && lanes.take({ ...receiver, organizationId });
  }

  /** A failing endpoint is probed when it is time; a sweep sees to that. */
  const mayBeSent = ({ isFailing }: { isFailing: boolean }) => firstDelayS === 0 && !isFailing;

  return createBatcher({ maxSize: 100, concurrency: 2, run });
}

type NewClaim = ClaimedDelivery & Pick<PlannedReceiver, 'isFailing' | 'maxInFlight'>;

function toClaimed({ id, endpointId }: NewDelivery, planned: PlannedEvent | undefined): NewClaim {
  const receiver = planned?.receivers.find((one) => one.endpointId === endpointId);
  if (!planned || !receiver) throw new Error('a delivery of nobody was written');
  const { event, body } = planned;
  return {
    ...receiver,
    id,
    attempts: 1,
    number: 1,
    isProbe: false,
    organizationId: event.organizationId,
    eventId: event.id,
    eventType: event.type,
    eventCreatedAt: event.createdAt,
    executionId: event.executionId,
    body: body ?? '',
  };
}
