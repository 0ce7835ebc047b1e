import type { Database } from '@holdfast/db/client';
import { fanOutEvents, readEventsToFanOut, readReceivers } from '@holdfast/db/webhooks/fanOut';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { executionAttributes } from '@holdfast/kit/tracing/tracing';
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
  /** Null: it is off. */
  tracing: Tracing | null;
  /** Told how many deliveries there are. */
  written(deliveries: number): void;
}): Batcher<string, undefined> {
  const { db, log, firstDelayS, lanes, tracing } = args;

  async function run(eventIds: string[]): Promise<undefined[]> {
    const asked = [...new Set(eventIds)];
    const begunAtMs = Date.now();
    const [events, audiences] = await Promise.all([readEventsToFanOut(db, asked), readReceivers(db, asked)]);
    const planned = events.flatMap((event) => {
      // Nobody's: it was fanned out between the two reads.
      const audience = audiences.get(event.organizationId);
      return audience ? planFanOut(event, audience, log) : [];
    });
    for (const some of inPortions(planned)) await write(some, begunAtMs);
    return eventIds.map(() => undefined);
  }

  async function write(planned: PlannedEvent[], begunAtMs: number): Promise<void> {
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
      tell(log, tracing, planned, deliveries, begunAtMs);
      const claims = claimsOf(planned);
      for (const { id, eventId, endpointId, taken } of deliveries) {
        const claim = claims.get(`${eventId} ${endpointId}`);
        if (!claim) throw new Error('a delivery of nobody was written');
        if (taken) {
          unused.set(claim.lane, (unused.get(claim.lane) ?? 0) - 1);
          lanes.run({ ...claim, id });
        } else if (mayBeSent(claim)) lanes.wake(claim);
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

/** A line, and a span, for each event that somebody receives. */
function tell(
  log: Logger,
  tracing: Tracing | null,
  planned: PlannedEvent[],
  written: { eventId: string }[],
  begunAtMs: number,
): void {
  const deliveries = Map.groupBy(written, ({ eventId }) => eventId);
  for (const one of planned) {
    const { id: eventId, executionId, organizationId, type } = one.event;
    const its = deliveries.get(eventId)?.length ?? 0;
    if (its === 0) continue;
    const traceId = tracing ? trace(tracing, one, its, begunAtMs) : undefined;
    log.info({ executionId, organizationId, eventId, type, deliveries: its, traceId }, 'event fanned out');
  }
}

/** Answers the id of the trace. */
function trace(
  tracing: Tracing,
  { event, model, traceparent }: PlannedEvent,
  deliveries: number,
  begunAtMs: number,
): string {
  const span = tracing.begin({
    name: 'fan out',
    kind: 'consumer',
    parent: traceparent,
    begunAtMs,
    attributes: {
      ...executionAttributes({ ...event, model }),
      'holdfast.event_id': event.id,
      'holdfast.event_type': event.type,
      'holdfast.deliveries': deliveries,
    },
  });
  span.end();
  return span.traceId;
}

/** Deliveries that are written by one statement, unless one event has more. */
const portion = 1000;

function inPortions(planned: PlannedEvent[]): PlannedEvent[][] {
  const portions: PlannedEvent[][] = [];
  let room = 0;
  for (const event of planned) {
    room -= Math.max(1, event.receivers.length);
    if (room < 0) {
      portions.push([]);
      room = portion - event.receivers.length;
    }
    portions.at(-1)?.push(event);
  }
  return portions;
}

type Claim = Omit<ClaimedDelivery, 'id'> & Pick<PlannedReceiver, 'isFailing' | 'maxInFlight'>;

/** First attempts, by event and endpoint. */
function claimsOf(planned: PlannedEvent[]): Map<string, Claim> {
  const first = { attempts: 1, number: 1, isProbe: false };
  return new Map(
    planned.flatMap(({ event, body, receivers, traceparent }) => {
      const { id: eventId, type: eventType, createdAt: eventCreatedAt, organizationId, executionId } = event;
      const about = { eventId, eventType, eventCreatedAt, organizationId, executionId, traceparent };
      const its = { ...first, ...about, body: body ?? '' };
      return receivers.map(
        (receiver) => [`${eventId} ${receiver.endpointId}`, { ...receiver, ...its }] as const,
      );
    }),
  );
}
