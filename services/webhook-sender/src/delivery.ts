import type { Database } from '@holdfast/db/client';
import { isLockTimeout, isTransient, retryTransient } from '@holdfast/db/faults';
import { lockedReceivers } from '@holdfast/db/locks';
import {
  type AttemptRecord,
  markStarted,
  recordAttempts,
  type StartedAttempt,
} from '@holdfast/db/webhooks/attempts';
import type { DeliveryState } from '@holdfast/db/webhooks/deliveries';
import {
  type Claim,
  type ClaimedDelivery,
  claimLanes,
  type LaneClaim,
  type LaneRoom,
  releaseClaims,
} from '@holdfast/db/webhooks/lanes';
import { limits } from '@holdfast/domain/limits';
import { createBatcher } from '@holdfast/kit/batcher';
import { createIsolatedBatcher } from '@holdfast/kit/isolatedBatcher';
import type { Logger } from '@holdfast/kit/logger';
import { executionAttributes, type Span, type Tracing } from '@holdfast/kit/tracing/tracing';
import type { Reaction } from './limit.ts';
import { messageOf, type Send } from './message.ts';
import type { WebhookMetrics } from './metrics.ts';
import { createStartMarks } from './startMarks.ts';
import { judge, type Result, reactionOf, type Verdict } from './verdict.ts';

/** Longer than a request may take: a live sender has recorded its attempt by then. */
export const leaseS = 45;
const maxProbeDelayS = 60;
/** An attempt that could not be recorded within this time is repeated. */
const recordForMs = 30_000;
/** Less than is left of a lease when a mark is written (see newDeliveries.ts). */
const markForMs = 1500;

export type ClaimLane = (lane: LaneRoom) => Promise<LaneClaim | null>;

/** Claims the due deliveries of lanes, many lanes per statement. Null: nothing is due. */
export function createClaims(args: {
  db: Database;
  maxAttempts: number;
  /** Limits all bodies of one statement: many lanes claim before their bodies are counted as slots. */
  bodyBytes: number;
  senders(): number;
  metrics: WebhookMetrics;
  log: Logger;
}): ClaimLane {
  const { db, maxAttempts, bodyBytes, senders, metrics, log } = args;
  const batcher = createBatcher<LaneRoom, LaneClaim | null>({
    maxSize: 200,
    concurrency: 2,
    async run(lanes) {
      const claims = await claimLanes(db, lanes, {
        leaseS,
        maxAttempts,
        bodyBytes,
        senders: senders(),
      }).catch((error: unknown) => {
        log.error({ err: error, lanes: lanes.length }, 'could not claim deliveries; a sweep will retry');
        throw error;
      });
      for (const { ended } of claims.values()) {
        for (const { state } of ended) metrics.outcomes.inc({ outcome: state });
      }
      return lanes.map(({ lane }) => claims.get(lane) ?? null);
    },
  });
  return batcher.add;
}

/** No request was made for these deliveries; they are not due before they are `firstDelayS` old. */
export type GiveBack = (deliveries: Claim[], firstDelayS?: number) => Promise<void>;

/** Deliveries that could not be given back are free when their lease ends. */
export function createGiveBack(db: Database, log: Logger): GiveBack {
  return async (deliveries, firstDelayS) => {
    await releaseClaims(db, deliveries, firstDelayS).catch((error: unknown) => {
      log.warn(
        { err: error, deliveries: deliveries.length },
        'could not give back deliveries; their leases will end',
      );
    });
  };
}

/**
 * Resolves once the attempt is recorded, with whether it was delivered; never rejects. `onResponse` returns the limit
 * that the endpoint has now, for all senders together.
 */
export type AttemptDelivery = (
  delivery: ClaimedDelivery,
  onResponse: (reaction: Reaction) => number | null,
) => Promise<boolean>;

export function createAttemptDelivery(args: {
  db: Database;
  send: Send;
  delaysS: number[];
  onEndpointEvents(): void;
  metrics: WebhookMetrics;
  tracing: Tracing | null;
  log: Logger;
}): AttemptDelivery {
  const { db, send, delaysS, metrics, tracing, log } = args;
  const record = createRecorder(args);
  const marks = createStartMarks(
    (started) => retryTransient(log, markForMs, () => markStarted(db, started, leaseS)),
    log,
  );

  async function sendAndRecord(
    delivery: ClaimedDelivery,
    onResponse: (reaction: Reaction) => number | null,
  ): Promise<boolean> {
    const started = startOf(delivery);
    const mark = delivery.isCounted ? null : marks.add(started);
    const span = tracing && startSpan(tracing, delivery);
    const message = messageOf(delivery);
    const result = await send(span ? { ...message, traceparent: span.traceparent } : message);
    const verdict = judge(result, delivery, delaysS);
    if (span) endSpan(span, result, verdict);
    const inFlightLimit = onResponse(reactionOf(result, verdict));
    await mark?.written();
    const { endpointId, isProbe } = delivery;
    const state = await record({ ...started, endpointId, isProbe, inFlightLimit, ...verdict });
    metrics.attemptSeconds.observe({ result: verdict.ok ? 'success' : 'failure' }, result.durationMs / 1000);
    metrics.outcomes.inc({ outcome: state ?? 'superseded' });
    // The database's clock may be ahead of ours.
    const ageMs = Math.max(0, Date.now() - delivery.eventCreatedAt.getTime());
    if (state === 'delivered') metrics.deliverySeconds.observe(ageMs / 1000);
    log.info({ ...logFields(delivery, result, state), traceId: span?.traceId }, 'webhook attempt');
    return verdict.ok;
  }

  return (delivery, onResponse) =>
    sendAndRecord(delivery, onResponse).catch((error: unknown) => {
      const { id: deliveryId, eventId, executionId } = delivery;
      log.error(
        { err: error, deliveryId, eventId, executionId },
        'could not record a webhook attempt; it will be repeated',
      );
      return false;
    });
}

/** By the database's clock. */
function startOf(delivery: ClaimedDelivery): StartedAttempt {
  const { id, attempts, number, leaseUntil, claimedAt, claimedAtMs } = delivery;
  const startedAt = new Date(claimedAt.getTime() + Math.max(0, performance.now() - claimedAtMs));
  return { id, attempts, number, leaseUntil, startedAt };
}

const ownerOf = ({ endpointId, id }: AttemptRecord) => endpointId ?? id;

function createRecorder(args: { db: Database; onEndpointEvents(): void; log: Logger }) {
  const { webhookFailuresToNotify: failuresToNotify, webhookFailuresToDeactivate: failuresToDeactivate } =
    limits;
  const isRetryable = (error: unknown) => isTransient(error) && !isLockTimeout(error);
  const batcher = createIsolatedBatcher<AttemptRecord, DeliveryState | null>({
    maxSize: 256,
    isLockTimeout,
    maxBlockedMs: recordForMs,
    ownerOf,
    async ownersOf(records) {
      const endpointIds = records.flatMap(({ endpointId }) => endpointId ?? []);
      const deliveryIds = records.map(({ id }) => id);
      const locked = await lockedReceivers(args.db, { endpointIds, deliveryIds });
      return records.map((record) => {
        const isBlocked = [record.endpointId ?? '', record.id].some((id) => locked.has(id));
        return { owner: ownerOf(record), isBlocked };
      });
    },
    onBlocked: (owner) => args.log.warn({ owner }, 'recording of webhook attempts delayed by a locked row'),
    async run(records) {
      const write = () =>
        recordAttempts(args.db, records, { failuresToNotify, failuresToDeactivate, maxProbeDelayS });
      const { states, hasEndpointEvents } = await retryTransient(args.log, recordForMs, write, isRetryable);
      if (hasEndpointEvents) args.onEndpointEvents();
      return records.map(({ id }) => states.get(id) ?? null);
    },
  });
  return batcher.add;
}

function logFields(delivery: ClaimedDelivery, result: Result, state: string | null) {
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

/** Records only the host of the URL: the rest may contain credentials. */
function startSpan(tracing: Tracing, delivery: ClaimedDelivery): Span {
  const { id, url, eventId, eventType, endpointId, attempts, isProbe, traceparent } = delivery;
  return tracing.start({
    name: 'deliver webhook',
    kind: 'client',
    parent: traceparent,
    attributes: {
      ...executionAttributes(delivery),
      'http.request.method': 'POST',
      'server.address': URL.parse(url)?.hostname,
      'holdfast.delivery_id': id,
      'holdfast.attempt': attempts,
      'holdfast.is_probe': isProbe,
      'holdfast.event_id': eventId,
      'holdfast.event_type': eventType,
      'holdfast.endpoint_id': endpointId,
    },
  });
}

function endSpan(span: Span, result: Result, { ok, stage }: Verdict): void {
  if (result.ok) span.set({ 'http.response.status_code': result.status });
  if (!ok) span.fail(result.ok ? String(result.status) : (stage ?? 'unknown'));
  span.end();
}
