import type { Database } from '@holdfast/db/client';
import { fanOutEvents, readEventsToFanOut, readReceivers } from '@holdfast/db/webhooks/fanOut';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { newDeliveryLeaseS } from '@holdfast/db/webhooks/newEvents';
import { limits } from '@holdfast/domain/limits';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { leaseS } from './delivery.ts';
import { inPortions, type PlannedEvent, type PlannedReceiver, planFanOut } from './fanOutPlan.ts';
import { createFanOutReport } from './fanOutReport.ts';
import { type Lanes, mayWait, type Place } from './lanes.ts';

/** A delivery whose lane has a free slot is claimed by the statement that inserts it, and attempted at once. */
export function createFanOut(args: {
  db: Database;
  log: Logger;
  firstDelayS: number;
  lanes: Lanes;
  tracing: Tracing | null;
  onWritten(deliveries: number): void;
}): Batcher<string, undefined> {
  const { db, firstDelayS, lanes } = args;
  const report = createFanOutReport(args);

  async function run(eventIds: string[]): Promise<undefined[]> {
    const ids = [...new Set(eventIds)];
    const startedAtMs = Date.now();
    const [events, receivers] = await Promise.all([readEventsToFanOut(db, ids), readReceivers(db, ids)]);
    for (const portion of inPortions(planFanOut(events, receivers))) await write(portion, startedAtMs);
    return eventIds.map(() => undefined);
  }

  async function write(planned: PlannedEvent[], startedAtMs: number): Promise<void> {
    const placed = planned.map(withPlaces);
    const batch = placed.map(({ event, body, receivers }) => ({ eventId: event.id, body, receivers }));
    const unused = createTally();
    for (const { lane, claim } of batch.flatMap(({ receivers }) => receivers)) unused.add(lane, claim, 1);
    try {
      const expiryMs = limits.webhookExpiryMs;
      const deliveries = await fanOutEvents(db, batch, { firstDelayS, expiryMs, leaseS });
      const claimedAtMs = performance.now();
      const written = Map.groupBy(deliveries, ({ eventId }) => eventId);
      for (const one of planned) report(one, written.get(one.event.id)?.length ?? 0, startedAtMs);
      const firstAttempts = firstAttemptsOf(placed);
      for (const { id, eventId, endpointId, isCounted, leaseUntil } of deliveries) {
        const attempt = firstAttempts.get(`${eventId} ${endpointId}`);
        if (!attempt) throw new Error('a delivery without a receiver was written');
        const { lane, claim } = attempt;
        if (leaseUntil && claim) {
          unused.add(lane, claim, -1);
          const claimedAt = new Date(leaseUntil.getTime() - (isCounted ? leaseS : newDeliveryLeaseS) * 1000);
          lanes.run({ ...attempt, id, isCounted, leaseUntil, claimedAt, claimedAtMs }, claim);
        } else if (isSentAtOnce(attempt)) lanes.wake(attempt);
        else if (firstDelayS === 0) lanes.wakeUnlessHeld(attempt);
      }
    } finally {
      unused.forEach(lanes.release);
    }
  }

  function withPlaces(planned: PlannedEvent): PlacedEvent {
    const { organizationId } = planned.event;
    const isSmall = mayWait(planned.body ?? '');
    const receivers = planned.receivers.map((receiver) => {
      const isClaimed = isSentAtOnce(receiver) && !receiver.isPaced;
      return {
        ...receiver,
        claim: isClaimed ? lanes.reserve({ ...receiver, organizationId }, isSmall) : null,
      };
    });
    return { ...planned, receivers };
  }

  /** A sweep probes failing endpoints when they are due. */
  const isSentAtOnce = ({ isFailing }: { isFailing: boolean }) => firstDelayS === 0 && !isFailing;

  return createBatcher({ maxSize: 200, concurrency: 2, run });
}

type PlacedEvent = Omit<PlannedEvent, 'receivers'> & { receivers: PlacedReceiver[] };
type PlacedReceiver = PlannedReceiver & { claim: Place | null };

/** Reserved places by lane. */
function createTally() {
  const places = new Map<string, Record<Place, number>>();
  return {
    add(lane: string, kind: Place | null, count: number): void {
      if (kind === null) return;
      const ofLane = places.get(lane) ?? { start: 0, ahead: 0, waits: 0 };
      ofLane[kind] += count;
      places.set(lane, ofLane);
    },
    forEach(release: (lane: string, kind: Place, places: number) => void): void {
      for (const [lane, { start, ahead, waits }] of places) {
        release(lane, 'start', start);
        release(lane, 'ahead', ahead);
        release(lane, 'waits', waits);
      }
    },
  };
}

type FirstAttempt = Omit<ClaimedDelivery, 'id' | 'isCounted' | 'leaseUntil' | 'claimedAt' | 'claimedAtMs'> &
  Pick<PlacedReceiver, 'isFailing' | 'maxInFlight' | 'claim'>;

function firstAttemptsOf(planned: PlacedEvent[]): Map<string, FirstAttempt> {
  const first = { attempts: 1, number: 1, isProbe: false };
  return new Map(
    planned.flatMap(({ event, body, receivers, traceparent }) => {
      const { id: eventId, type: eventType, createdAt: eventCreatedAt, organizationId, executionId } = event;
      const ofEvent = { eventId, eventType, eventCreatedAt, organizationId, executionId, traceparent };
      const common = { ...first, ...ofEvent, body: body ?? '' };
      return receivers.map(
        (receiver) => [`${eventId} ${receiver.endpointId}`, { ...receiver, ...common }] as const,
      );
    }),
  );
}
