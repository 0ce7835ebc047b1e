import type { Database } from '@holdfast/db/client';
import { fanOutEvents, readEventsToFanOut, readReceivers } from '@holdfast/db/webhooks/fanOut';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { newDeliveryLeaseS } from '@holdfast/db/webhooks/newEvents';
import { limits } from '@holdfast/domain/limits';
import { createBatcher } from '@holdfast/kit/batcher';
import { createFairLimiter } from '@holdfast/kit/fairLimiter';
import type { Logger } from '@holdfast/kit/logger';
import { createShares } from '@holdfast/kit/shares';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { leaseS } from './delivery.ts';
import { inPortions, type PlannedEvent, type PlannedReceiver, planFanOut } from './fanOutPlan.ts';
import { createFanOutReport } from './fanOutReport.ts';
import type { Lanes, Offer } from './lanes.ts';

export type FanOut = {
  /** Resolves when the event is fanned out, or waits for its turn; then a sweep would find it again. */
  add(eventId: string): Promise<void>;
  /** Ends what is under way. */
  stop(): Promise<void>;
};

/** For events with more receivers, organizations take turns. */
const fewReceivers = 32;
const maxOfTurn = 25;
/** Events that wait for their turn, a few megabytes of ids. A sweep finds the others. */
const maxWaiting = 20_000;

/** A delivery whose lane has a free slot is claimed by the statement that inserts it, and attempted at once. */
export function createFanOut(args: {
  db: Database;
  log: Logger;
  firstDelayS: number;
  lanes: Lanes;
  /** Of the bodies that are read at once. */
  bodyBytes: number;
  tracing: Tracing | null;
  onWritten(deliveries: number): void;
}): FanOut {
  const { db, log, firstDelayS, lanes, bodyBytes } = args;
  const report = createFanOutReport(args);
  /** Events with many receivers by organization, until they are fanned out. */
  const waiting = new Map<string, Set<string>>();
  const shares = createShares(maxWaiting);
  const inTurn = createFairLimiter(2, 1);
  let isStopping = false;
  const batcher = createBatcher<string, string | null>({ maxSize: 200, concurrency: 2, run: fanOutFew });

  const isWaiting = (eventId: string) => [...waiting.values()].some((ids) => ids.has(eventId));

  async function add(eventId: string): Promise<void> {
    // A sweep finds them too.
    if (isWaiting(eventId)) return;
    const organizationId = await batcher.add(eventId);
    if (organizationId === null || isWaiting(eventId) || shares.roomOf(organizationId) === 0) return;
    const others = waiting.get(organizationId) ?? new Set();
    waiting.set(organizationId, others.add(eventId));
    shares.take(organizationId, 1);
    void inTurn(organizationId, () => fanOutMany(organizationId));
  }

  /** Returns the organization of each event with many receivers. */
  async function fanOutFew(eventIds: string[]): Promise<(string | null)[]> {
    const startedAtMs = Date.now();
    const isFew = ({ receivers }: PlannedEvent) => receivers.length <= fewReceivers;
    const organizations = new Map<string, string>();
    for await (const planned of plan(eventIds)) {
      for (const portion of inPortions(planned.filter(isFew))) await write(portion, startedAtMs);
      const many = planned.filter((one) => !isFew(one));
      for (const { event } of many) organizations.set(event.id, event.organizationId);
    }
    return eventIds.map((id) => organizations.get(id) ?? null);
  }

  async function fanOutMany(organizationId: string): Promise<void> {
    const ids = [...(waiting.get(organizationId) ?? [])].slice(0, maxOfTurn);
    const startedAtMs = Date.now();
    try {
      for await (const planned of plan(isStopping ? [] : ids)) {
        for (const portion of inPortions(planned)) await write(portion, startedAtMs);
      }
    } catch (error) {
      log.warn({ err: error, organizationId }, 'could not fan out events; a sweep will retry');
    }
    const left = waiting.get(organizationId);
    for (const id of ids) left?.delete(id);
    if (left?.size === 0) waiting.delete(organizationId);
    shares.give(organizationId, ids.length);
  }

  /** In parts, as their bodies allow. */
  async function* plan(eventIds: string[]): AsyncGenerator<PlannedEvent[]> {
    const rest = new Set(eventIds);
    while (rest.size > 0) {
      const ids = [...rest];
      const [events, receivers] = await Promise.all([
        readEventsToFanOut(db, ids, bodyBytes),
        readReceivers(db, ids),
      ]);
      if (events.length === 0) return;
      yield planFanOut(events, receivers);
      for (const { id } of events) rest.delete(id);
    }
  }

  async function write(planned: PlannedEvent[], startedAtMs: number): Promise<void> {
    const offered = planned.map(withOffers);
    const batch = offered.map(({ event, body, receivers }) => ({ eventId: event.id, body, receivers }));
    const unsent = firstAttemptsOf(offered);
    try {
      const expiryMs = limits.webhookExpiryMs;
      const deliveries = await fanOutEvents(db, batch, { firstDelayS, expiryMs, leaseS });
      const claimedAtMs = performance.now();
      const written = Map.groupBy(deliveries, ({ eventId }) => eventId);
      for (const one of planned) report(one, written.get(one.event.id)?.length ?? 0, startedAtMs);
      for (const { id, eventId, endpointId, isCounted, leaseUntil } of deliveries) {
        const key = `${eventId} ${endpointId}`;
        const attempt = unsent.get(key);
        if (!attempt) throw new Error('a delivery without a receiver was written');
        const { offer } = attempt;
        if (leaseUntil && offer) {
          unsent.delete(key);
          const claimedAt = new Date(leaseUntil.getTime() - (isCounted ? leaseS : newDeliveryLeaseS) * 1000);
          offer.send({ ...attempt, id, isCounted, leaseUntil, claimedAt, claimedAtMs });
        } else if (isSentAtOnce(attempt)) lanes.wake(attempt);
        else if (firstDelayS === 0) lanes.wakeUnlessHeld(attempt);
      }
    } finally {
      for (const { offer } of unsent.values()) offer?.cancel();
    }
  }

  function withOffers(planned: PlannedEvent): OfferedEvent {
    const { organizationId } = planned.event;
    const receivers = planned.receivers.map((receiver) => {
      const isClaimed = isSentAtOnce(receiver) && !receiver.isPaced;
      const offer = isClaimed ? lanes.offer({ ...receiver, organizationId }, planned.body ?? '') : null;
      return { ...receiver, offer, claim: offer?.kind ?? null };
    });
    return { ...planned, receivers };
  }

  /** A sweep probes failing endpoints when they are due. */
  const isSentAtOnce = ({ isFailing }: { isFailing: boolean }) => firstDelayS === 0 && !isFailing;

  return {
    add,
    async stop() {
      isStopping = true;
      await Promise.all([batcher.idle(), shares.idle()]);
    },
  };
}

type OfferedEvent = Omit<PlannedEvent, 'receivers'> & { receivers: OfferedReceiver[] };
type OfferedReceiver = PlannedReceiver & { offer: Offer | null; claim: Offer['kind'] | null };

type FirstAttempt = Omit<ClaimedDelivery, 'id' | 'isCounted' | 'leaseUntil' | 'claimedAt' | 'claimedAtMs'> &
  Pick<OfferedReceiver, 'isFailing' | 'maxInFlight' | 'offer'>;

function firstAttemptsOf(offered: OfferedEvent[]): Map<string, FirstAttempt> {
  const first = { attempts: 1, number: 1, isProbe: false };
  return new Map(
    offered.flatMap(({ event, body, receivers, traceparent }) => {
      const { id: eventId, type: eventType, createdAt: eventCreatedAt, organizationId, executionId } = event;
      const ofEvent = { eventId, eventType, eventCreatedAt, organizationId, executionId, traceparent };
      const common = { ...first, ...ofEvent, body: body ?? '' };
      return receivers.map(
        (receiver) => [`${eventId} ${receiver.endpointId}`, { ...receiver, ...common }] as const,
      );
    }),
  );
}
