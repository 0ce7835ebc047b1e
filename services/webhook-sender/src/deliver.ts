import type { Database } from '@holdfast/db/client';
import { persistently } from '@holdfast/db/persistently';
import { type ClaimedDelivery, claimDeliveries } from '@holdfast/db/webhooks/claimDeliveries';
import {
  type AttemptRecord,
  type RecordedDelivery,
  recordAttempts,
} from '@holdfast/db/webhooks/recordAttempts';
import { limits } from '@holdfast/domain/limits';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { Slots } from '@holdfast/kit/slots';
import type { WebhookMetrics } from './metrics.ts';
import type { Send } from './send.ts';
import { judge, type Result } from './verdict.ts';

export type Deliverer = {
  /** Attempts a delivery if it is due and nobody else has it; does nothing otherwise. */
  deliver(deliveryId: string): Promise<void>;
  /** Makes the attempt of a delivery that is claimed, in a slot that the caller took. Never rejects. */
  attempt(delivery: ClaimedDelivery): Promise<void>;
  idle(): Promise<void>;
};

/** Longer than a request may take: a sender that is still alive has recorded by then. */
export const leaseS = 45;
const maxProbeDelayS = 60;
/** What could not be written down in this time is sent to the receiver once more. */
const recordForMs = 30_000;

export function createDeliverer(args: {
  db: Database;
  send: Send;
  /** For requests in flight. */
  slots: Slots;
  delaysS: number[];
  metrics: WebhookMetrics;
  log: Logger;
}): Deliverer {
  const { db, send, slots, delaysS, metrics, log } = args;

  const claims = createBatcher<string, ClaimedDelivery | null>({
    maxSize: 200,
    concurrency: 2,
    async run(ids) {
      const claimed = await claimDeliveries(db, [...new Set(ids)], { leaseS, maxAttempts: delaysS.length });
      const byId = new Map(claimed.map((delivery) => [delivery.id, delivery]));
      // Of two jobs for one delivery in a batch, one gets it.
      return ids.map((id) => {
        const delivery = byId.get(id) ?? null;
        byId.delete(id);
        return delivery;
      });
    },
  });

  const records = createBatcher<AttemptRecord, RecordedDelivery['state'] | null>({
    maxSize: 200,
    async run(batch) {
      const { webhookFailuresToDeactivate: failuresToDeactivate } = limits;
      const recorded = await persistently(log, recordForMs, () =>
        recordAttempts(db, batch, { failuresToDeactivate, maxProbeDelayS }),
      );
      const states = new Map(recorded.map(({ id, state }) => [id, state]));
      return batch.map(({ id }) => states.get(id) ?? null);
    },
  });

  async function deliver(deliveryId: string): Promise<void> {
    if (!(await slots.take())) return;
    try {
      const delivery = await claims.add(deliveryId);
      if (delivery) await sendAndRecord(delivery);
    } finally {
      slots.give();
    }
  }

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    try {
      await sendAndRecord(delivery);
    } catch (error) {
      log.error(
        { err: error, deliveryId: delivery.id },
        'an attempt was not recorded; it will be made again',
      );
    } finally {
      slots.give();
    }
  }

  async function sendAndRecord(delivery: ClaimedDelivery): Promise<void> {
    const result = await send(delivery);
    const { id, attempts, number, endpointId, isProbe } = delivery;
    const verdict = judge(result, delivery, delaysS);
    const state = await records.add({ id, attempts, number, endpointId, isProbe, ...verdict });
    metrics.attemptSeconds.observe({ result: verdict.ok ? 'success' : 'failure' }, result.durationMs / 1000);
    metrics.outcomes.inc({ outcome: state ?? 'superseded' });
    log.info(attemptLine(delivery, result, state), 'webhook attempt');
  }

  return { deliver, attempt, idle: slots.idle };
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
