import { backlogGauges } from '@holdfast/db/backlogGauges';
import { type Database, openDatabase } from '@holdfast/db/client';
import { ping } from '@holdfast/db/server';
import { hasWork } from '@holdfast/db/sweeps';
import { fanOutEndpointEvents } from '@holdfast/db/webhooks/endpointEvents';
import { egressSettings } from '@holdfast/egress/config';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { createActivity } from '@holdfast/kit/activity';
import { type HealthServer, startHealthServer } from '@holdfast/kit/health';
import type { Logger } from '@holdfast/kit/logger';
import { createRegistry, engineGauges, startGaugeReaders } from '@holdfast/kit/metrics';
import { createSealedBox } from '@holdfast/kit/sealedBox';
import type { Service } from '@holdfast/kit/service';
import { sweepGroup } from '@holdfast/kit/sweep';
import { openTracing, type Tracing } from '@holdfast/kit/tracing/tracing';
import { connectProducer, connectWorker } from '@holdfast/queues/connection';
import { openQueueControls } from '@holdfast/queues/controls';
import { deliverQueue } from '@holdfast/queues/definitions';
import { openInstanceCount, openLeadership, openSweepTurns } from '@holdfast/queues/instances';
import { openProducer } from '@holdfast/queues/producer';
import { jobMetrics } from '@holdfast/queues/worker';
import { alertSweeps } from './alerts/alerts.ts';
import { openReceivers } from './alerts/receivers.ts';
import type { WebhookSenderConfig } from './config.ts';
import { createAttemptDelivery, createClaims, createGiveBack } from './delivery.ts';
import { openDialects } from './dialects.ts';
import { createFanOut } from './fanOut.ts';
import { startSweeps, startWorkers } from './jobs.ts';
import { slotBytes } from './lane.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { createSend } from './message.ts';
import { laneGauges, type WebhookMetrics, webhookMetrics } from './metrics.ts';
import { createNewDeliveries } from './newDeliveries.ts';
import { createUpdates } from './updates.ts';

export type WebhookSender = Service & {
  /** Sweeps for due work now, instead of within a second. */
  sweepNow(): Promise<void>;
  healthPort: number;
};

/** Requests in flight get this time when the service stops; then they are aborted and sent later by another sender. */
const finishWithinMs = 20_000;

/** Fans events out, signs and delivers webhooks, retries them, deactivates endpoints, makes test calls. */
export async function startWebhookSender(config: WebhookSenderConfig, log: Logger): Promise<WebhookSender> {
  const registry = createRegistry('webhook-sender');
  const metrics = webhookMetrics(registry);
  const tracing = await openTracing('webhook-sender', config, log);
  const db: Database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    isPrepared: config.DATABASE_PREPARED,
    applicationName: 'webhook-sender',
  });
  const producing = connectProducer(config.REDIS_URL, log);
  const working = connectWorker(config.REDIS_URL, log);

  const stopped = new AbortController();
  engineGauges(registry, { pool: db.pool, redis: producing });
  const peers = await openInstanceCount(producing, 'webhook-sender', log);
  const deliver = openProducer(deliverQueue, producing, log);
  const { send, lanes, fanOut, newDeliveries, deliverEndpointEvents } = openSending(config, {
    db,
    senders: peers.count,
    handOver: (lane) => void deliver.add(lane),
    stopped: stopped.signal,
    metrics,
    tracing,
    log,
  });
  laneGauges(registry, lanes);
  const activity = createActivity(() => hasWork(db, 'sender'));
  const workers = startWorkers({
    redis: working,
    metrics: jobMetrics(registry),
    log,
    db,
    send,
    fanOut,
    newDeliveries,
    lanes,
    activity,
  });
  const updates = createUpdates({ db, send, log });
  const turnOf = openSweepTurns(producing, 'webhook-sender');
  const queues = openQueueControls(producing);
  const box = createSealedBox(config.ENCRYPTION_KEYS);
  const { receivers, close: closeReceivers } = openReceivers(config, { send, box });
  const alerts = sweepGroup(alertSweeps({ db, queues, receivers, config, turnOf, log }));
  const sweeps = startSweeps({
    db,
    fanOut,
    lanes,
    updates,
    fanOutEndpointEvents: deliverEndpointEvents,
    metrics,
    turnOf,
    activity,
    log,
  });
  const readings = startGaugeReaders({
    name: 'backlog',
    leads: openLeadership(producing, 'webhook-sender readings'),
    readings: [backlogGauges(registry, db, ['events', 'deliveries'])],
    log,
  });
  const health: HealthServer = await startHealthServer({
    at: { host: config.LISTEN_HOST, port: config.METRICS_PORT },
    registry,
    live: {
      workers: workers.problem,
      sweeps: sweeps.problem,
      alerts: alerts.problem,
      readings: readings.problem,
    },
    ready: {
      database: () => ping(db),
      redis: () => (producing.status === 'ready' ? null : 'Redis is unavailable'),
    },
  });
  log.info({ port: health.port }, 'webhook-sender is up');

  return {
    healthPort: health.port,
    sweepNow: sweeps.runAllNow,
    async stop() {
      const abortTimer = setTimeout(() => stopped.abort(), finishWithinMs);
      lanes.close();
      activity.close();
      await Promise.all([workers.stop(), sweeps.stop(), alerts.stop(), readings.stop()]);
      closeReceivers();
      await Promise.all([fanOut.stop(), newDeliveries.idle(), updates.idle()]);
      await lanes.idle();
      await Promise.all([deliver.close(), queues.close()]);
      clearTimeout(abortTimer);
      // Only now may the other senders take over the share of this one.
      await peers.close();
      producing.disconnect();
      working.disconnect();
      await Promise.all([db.close(), health.close(), tracing?.stop()]);
    },
  };
}

/** Everything that a delivery passes through, from its event to the receiver. */
function openSending(
  config: WebhookSenderConfig,
  services: {
    db: Database;
    senders(): number;
    handOver(lane: { lane: string; organizationId: string }): void;
    stopped: AbortSignal;
    metrics: WebhookMetrics;
    tracing: Tracing | null;
    log: Logger;
  },
) {
  const { db, senders, handOver, stopped, metrics, tracing, log } = services;
  const send = openSend(config, db, log, stopped);
  const delaysS = config.WEBHOOK_RETRY_DELAYS_S;
  const giveBack = createGiveBack(db, log);
  const bodyBytes = (config.WEBHOOK_CONCURRENCY * slotBytes) / 4;
  const lanes: Lanes = createLanes({
    size: config.WEBHOOK_CONCURRENCY,
    senders,
    claim: createClaims({
      db,
      maxAttempts: delaysS.length,
      bodyBytes,
      senders,
      metrics,
      log,
    }),
    attempt: createAttemptDelivery({ db, send, delaysS, onEndpointEvents, metrics, tracing, log }),
    giveBack,
    handOver,
  });
  const sending = {
    db,
    log,
    firstDelayS: delaysS[0] ?? 0,
    lanes,
    bodyBytes,
    tracing,
    onWritten: (deliveries: number) => metrics.fannedOut.inc(deliveries),
  };
  const fanOut = createFanOut(sending);
  const newDeliveries = createNewDeliveries({ ...sending, giveBack });

  async function deliverEndpointEvents(): Promise<void> {
    for (const lane of await fanOutEndpointEvents(db)) lanes.wake(lane);
  }

  function onEndpointEvents(): void {
    deliverEndpointEvents().catch((error: unknown) => {
      log.warn({ err: error }, 'could not fan out events of endpoints; a sweep will retry');
    });
  }

  return { send, lanes, fanOut, newDeliveries, deliverEndpointEvents };
}

function openSend(config: WebhookSenderConfig, db: Database, log: Logger, stopped: AbortSignal) {
  const policy = createEgressPolicy(egressSettings(config));
  for (const opening of policy.openings) log.warn(`egress exception: ${opening}`);
  const { ENCRYPTION_KEYS: keys } = config;
  return createSend({ policy, box: createSealedBox(keys), inDialect: openDialects(db, keys), stopped, log });
}
