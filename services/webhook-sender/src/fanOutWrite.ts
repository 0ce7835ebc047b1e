import type { Database } from '@holdfast/db/client';
import { fanOutEvents } from '@holdfast/db/webhooks/fanOut';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { newDeliveryLeaseS } from '@holdfast/db/webhooks/newEvents';
import { limits } from '@holdfast/domain/limits';
import type { Logger } from '@holdfast/kit/logger';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { leaseS } from './delivery.ts';
import type { PlannedEvent, PlannedReceiver } from './fanOutPlan.ts';
import { createFanOutReport } from './fanOutReport.ts';
import type { Lanes, Offer } from './lanes.ts';

export type FanOutWriteServices = {
  db: Database;
  log: Logger;
  firstDelayS: number;
  lanes: Lanes;
  tracing: Tracing | null;
  onWritten(deliveries: number): void;
};

/** A delivery whose lane has a free slot is claimed by the statement that inserts it, and attempted at once. */
export function createFanOutWrite(
  args: FanOutWriteServices,
): (planned: PlannedEvent[], startedAtMs: number) => Promise<void> {
  const { db, firstDelayS, lanes } = args;
  const report = createFanOutReport(args);

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

  return write;
}

type OfferedEvent = Omit<PlannedEvent, 'receivers'> & { receivers: OfferedReceiver[] };
type OfferedReceiver = PlannedReceiver & { offer: Offer | null; claim: Offer['kind'] | null };

type FirstDeliveryAttempt = Omit<
  ClaimedDelivery,
  'id' | 'isCounted' | 'leaseUntil' | 'claimedAt' | 'claimedAtMs'
> &
  Pick<OfferedReceiver, 'isFailing' | 'maxInFlight' | 'offer'>;

function firstAttemptsOf(offered: OfferedEvent[]): Map<string, FirstDeliveryAttempt> {
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
