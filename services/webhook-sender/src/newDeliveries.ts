import type { Database } from '@holdfast/db/client';
import { type NewDelivery, readNewDeliveries } from '@holdfast/db/webhooks/newDeliveries';
import { newDeliveryLeaseS } from '@holdfast/db/webhooks/newEvents';
import { eventTypes } from '@holdfast/domain/events';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { LRUCache } from 'lru-cache';
import type { GiveBack } from './delivery.ts';
import { createFanOutReport, type FannedOutEvent } from './fanOutReport.ts';
import type { Lanes } from './lanes.ts';

/** A delivery may wait for three seconds in its lane, and then its mark must extend the lease. */
const minLeaseMs = 5000;
/** Some megabytes. */
const takenKept = 20_000;

/**
 * Sends deliveries that were written with their events. Their hint is the claim, so that nothing is written before the
 * request. A delivery without room is given back, for its lane to claim.
 */
export function createNewDeliveries(args: {
  db: Database;
  log: Logger;
  firstDelayS: number;
  lanes: Lanes;
  giveBack: GiveBack;
  /** Size of the bodies that are read at once. */
  bodyBytes: number;
  tracing: Tracing | null;
  onWritten(deliveries: number): void;
}): Batcher<string, undefined> {
  const { db, firstDelayS, lanes, giveBack, bodyBytes, tracing } = args;
  const report = createFanOutReport(args);
  /** A job of which a part failed comes again at once, before the rest of it is marked: that must not be sent twice. */
  const taken = new LRUCache<string, true>({ max: takenKept, ttl: newDeliveryLeaseS * 1000 });

  async function run(ids: string[]): Promise<undefined[]> {
    const rest = new Set(ids);
    const startedAtMs = Date.now();
    while (rest.size > 0) {
      const deliveries = await readNewDeliveries(db, [...rest], bodyBytes);
      if (deliveries.length === 0) break;
      await sendOrGiveBack(deliveries, startedAtMs);
      for (const { id } of deliveries) rest.delete(id);
    }
    return ids.map(() => undefined);
  }

  async function sendOrGiveBack(deliveries: NewDelivery[], startedAtMs: number): Promise<void> {
    for (const ofEvent of Map.groupBy(deliveries, ({ eventId }) => eventId).values()) {
      const event = ofEvent[0] && eventOf(ofEvent[0], tracing !== null);
      if (event) report(event, ofEvent.length, startedAtMs);
    }
    const unsent = deliveries.filter((delivery) => !isSent(delivery));
    const early = unsent.filter(({ leaseUntil }) => leaseUntil !== null || firstDelayS > 0);
    if (early.length > 0) await giveBack(early, firstDelayS);
    if (firstDelayS === 0) unsent.forEach(wake);
  }

  function isSent(delivery: NewDelivery): boolean {
    if (delivery.leaseUntil === null) return false;
    if (taken.has(delivery.id)) return true;
    if (delivery.leaseMs < minLeaseMs) return false;
    if (firstDelayS > 0 || delivery.isFailing || delivery.isPaced) return false;
    const offer = lanes.offer(delivery, delivery.body);
    if (!offer) return false;
    taken.set(delivery.id, true);
    offer.send(delivery);
    return true;
  }

  /** A sweep probes failing endpoints when they are due. */
  function wake(delivery: NewDelivery): void {
    if (delivery.isFailing) lanes.wakeUnlessHeld(delivery);
    else lanes.wake(delivery);
  }

  return createBatcher({ maxSize: 200, concurrency: 2, run });
}

function eventOf(delivery: NewDelivery, isTraced: boolean): FannedOutEvent | null {
  const { eventId: id, eventType, organizationId, executionId, traceparent, body } = delivery;
  const type = eventTypes.find((known) => known === eventType);
  if (type === undefined || executionId === null) return null;
  return {
    event: { id, type, organizationId, executionId },
    model: isTraced ? modelIn(body) : null,
    traceparent,
  };
}

/** Null in a body that was too large. */
function modelIn(body: string): string | null {
  const { data } = JSON.parse(body) as { data: { model?: string } };
  return data.model ?? null;
}
