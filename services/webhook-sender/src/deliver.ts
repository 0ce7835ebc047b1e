import type { Database } from '@holdfast/db/client';
import { retryTransient } from '@holdfast/db/faults';
import { type AttemptRecord, recordAttempts } from '@holdfast/db/webhooks/attempts';
import type { DeliveryState } from '@holdfast/db/webhooks/deliveries';
import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { beginAttempt, endAttempt } from './attemptSpan.ts';
import { messageOf } from './messageOf.ts';
import type { WebhookMetrics } from './metrics.ts';
import type { Send } from './send.ts';
import { judge, type Result } from './verdict.ts';

/**
 * Makes the attempt of a delivery that is claimed; resolves, once it is written down, with whether it was delivered. Never
 * rejects. `accepted` is called as soon as the receiver has taken it: a failure has to be known before the next is sent.
 */
export type Attempt = (delivery: ClaimedDelivery, accepted: () => void) => Promise<boolean>;

/** Longer than a request may take: a sender that is still alive has recorded by then. */
export const leaseS = 45;
const maxProbeDelayS = 60;
/** What could not be written down in this time is sent to the receiver once more. */
const recordForMs = 30_000;

export function createAttempt(args: {
  db: Database;
  send: Send;
  delaysS: number[];
  /** Told that there are events of endpoints to be fanned out. */
  endpointsTurned(): void;
  metrics: WebhookMetrics;
  /** Null: it is off. */
  tracing: Tracing | null;
  log: Logger;
}): Attempt {
  const { db, send, delaysS, endpointsTurned, metrics, tracing, log } = args;

  const records = createBatcher<AttemptRecord, DeliveryState | null>({
    maxSize: 200,
    async run(batch) {
      const { webhookFailuresToTell: failuresToTell, webhookFailuresToDeactivate: failuresToDeactivate } =
        limits;
      const { states, hasEndpointEvents } = await retryTransient(log, recordForMs, () =>
        recordAttempts(db, batch, { failuresToTell, failuresToDeactivate, maxProbeDelayS }),
      );
      if (hasEndpointEvents) endpointsTurned();
      return batch.map(({ id }) => states.get(id) ?? null);
    },
  });

  async function sendAndRecord(delivery: ClaimedDelivery, accepted: () => void): Promise<boolean> {
    const span = tracing && beginAttempt(tracing, delivery);
    const message = messageOf(delivery);
    const result = await send(span ? { ...message, traceparent: span.traceparent } : message);
    const { id, attempts, number, endpointId, isProbe } = delivery;
    const verdict = judge(result, delivery, delaysS);
    if (span) endAttempt(span, result, verdict);
    if (verdict.ok) accepted();
    const state = await records.add({ id, attempts, number, endpointId, isProbe, ...verdict });
    metrics.attemptSeconds.observe({ result: verdict.ok ? 'success' : 'failure' }, result.durationMs / 1000);
    metrics.outcomes.inc({ outcome: state ?? 'superseded' });
    // By two clocks: that of the database may be ahead.
    const ageMs = Math.max(0, Date.now() - delivery.eventCreatedAt.getTime());
    if (state === 'delivered') metrics.deliverySeconds.observe(ageMs / 1000);
    log.info({ ...attemptLine(delivery, result, state), traceId: span?.traceId }, 'webhook attempt');
    return verdict.ok;
  }

  return (delivery, accepted) =>
    sendAndRecord(delivery, accepted).catch((error: unknown) => {
      const { id: deliveryId, eventId, executionId } = delivery;
      log.error(
        { err: error, deliveryId, eventId, executionId },
        'an attempt was not recorded; it will be made again',
      );
      return false;
    });
}

function attemptLine(delivery: ClaimedDelivery, result: Result, state: string | null) {
  const { id, eventId, executionId, endpointId, attempts, isProbe } = delivery;
  return {
    deliveryId: id,
    eventId,
    executionId,
    endpointId,
    attempt: attempts,
    isProbe,
    status: result.ok ? result.status : null,
    stage: result.ok ? null : result.stage,
    durationMs: result.durationMs,
    outcome: state ?? 'superseded',
  };
}
