import { backlogGauges } from '@holdfast/db/backlogGauges';
import { type Database, openDatabase } from '@holdfast/db/client';
import { type ModelCatalogue, openModelCatalogue } from '@holdfast/db/models';
import { ping } from '@holdfast/db/server';
import { hasWork } from '@holdfast/db/sweeps';
import { egressSettings } from '@holdfast/egress/config';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { openAttemptRecorder } from '@holdfast/executions/attemptRecorder';
import { openStarter, type Starter } from '@holdfast/executions/lifecycle';
import { openStore } from '@holdfast/files/open';
import { type Activity, createActivity } from '@holdfast/kit/activity';
import { startHealthServer } from '@holdfast/kit/health';
import type { Logger } from '@holdfast/kit/logger';
import { createRegistry, engineGauges, liveGauge, startGaugeReaders } from '@holdfast/kit/metrics';
import type { Service } from '@holdfast/kit/service';
import { createShares } from '@holdfast/kit/shares';
import { openTracing } from '@holdfast/kit/tracing/tracing';
import { createProviders } from '@holdfast/providers/registry';
import { openAdmissionControl } from '@holdfast/queues/admission';
import { openChangePublisher } from '@holdfast/queues/changes';
import { connectProducer, connectWorker, type Redis } from '@holdfast/queues/connection';
import { openLeadership, openSweepTurns } from '@holdfast/queues/instances';
import { jobMetrics } from '@holdfast/queues/worker';
import { type AttemptServices, startAttempt } from './attempt/attempt.ts';
import { createLeases, leaseS } from './attempt/leases.ts';
import { type DispatcherMetrics, dispatcherMetrics, measured } from './attempt/metrics.ts';
import { openRoutes, type Routes } from './attempt/route.ts';
import { openStreams } from './attempt/streams.ts';
import type { Trace } from './attempt/trace.ts';
import type { DispatcherConfig } from './config.ts';
import { startSweeps } from './jobs/sweeps.ts';
import { createJobs, openQueues, type Queues, startWorkers } from './jobs/workers.ts';
import { openBreakers } from './schedule/breakers.ts';
import { openCapacity } from './schedule/capacity.ts';
import { openLimits, openOrganizationLimits } from './schedule/limits.ts';
import { createScheduler } from './schedule/scheduler.ts';
import { openSlots, type Slots } from './schedule/slots.ts';

/** A process may take ten seconds longer to stop. */
const usualGraceS = 20;

export async function startDispatcher(config: DispatcherConfig, log: Logger): Promise<Service> {
  const { connections, DISPATCH_CONCURRENCY: concurrency } = config;
  const registry = createRegistry('dispatcher');
  const metrics = dispatcherMetrics(registry, Object.keys(connections));
  const trace: Trace = { tracing: await openTracing('dispatcher', config, log), span: null, log };

  const db = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    isPrepared: config.DATABASE_PREPARED,
    applicationName: 'dispatcher',
  });
  const producerRedis = connectProducer(config.REDIS_URL, log);
  const workerRedis = connectWorker(config.REDIS_URL, log);
  const queues = openQueues(producerRedis, log);
  engineGauges(registry, { pool: db.pool, redis: producerRedis });

  const activity = createActivity(() => hasWork(db, 'dispatcher'));
  const opened = await openServices(config, { db, queues, redis: producerRedis, metrics, activity, log });
  const { services, starter } = opened;

  const shares = createShares(concurrency);
  const scheduler = createScheduler({
    shares,
    size: concurrency,
    slots: services.slots,
    startAttempt: (pending, route, modelVersion) =>
      startAttempt(services, starter, trace, pending, route, modelVersion),
    log,
  });
  const gauge = (name: string, about: string, read: () => number) => liveGauge(registry, name, about, read);
  gauge('runs_waiting', 'Executions that wait for their turn in this process', scheduler.waiting);
  gauge('runs_in_flight', 'Runs that this process works on', shares.taken);
  gauge('streams_open', 'Outputs that this process shows while they are made', services.streams.openCount);

  const jobs = createJobs(services, trace);
  const workers = startWorkers(
    { services, jobs, scheduler, trace },
    { redis: workerRedis, connections, concurrency, metrics: jobMetrics(registry), activity },
  );
  const sweeps = startSweeps({
    files: services.files,
    slots: services.slots,
    scheduler,
    queues,
    jobs,
    concurrency,
    streamRetentionS: config.STREAM_RETENTION_S,
    activity,
    turnOf: openSweepTurns(producerRedis, 'dispatcher'),
    log,
  });
  const readings = startGaugeReaders({
    name: 'backlog',
    leads: openLeadership(producerRedis, 'dispatcher readings'),
    readings: [
      backlogGauges(registry, db, ['pending', 'waiting_tries', 'busy', 'running', 'abandoned', 'callbacks']),
    ],
    log,
  });
  const health = await startHealthServer({
    at: { host: config.LISTEN_HOST, port: config.METRICS_PORT },
    registry,
    live: { workers: workers.problem, sweeps: sweeps.problem, readings: readings.problem },
    ready: { database: () => ping(db) },
  });
  log.info({ port: health.port, connections: Object.keys(connections) }, 'dispatcher is up');

  return {
    stopDelayMs: Math.max(0, config.STOP_GRACE_S - usualGraceS) * 1000,
    async stop() {
      scheduler.close();
      const stopped = workers.stop();
      activity.close();
      // In parallel: a long sweep must not delay that runs are handed back.
      await Promise.all([
        sweeps.stop(),
        readings.stop(),
        services.leases.handBack(config.STOP_GRACE_S * 1000),
      ]);
      await stopped;
      await shares.idle();
      await opened.close();
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      producerRedis.disconnect();
      workerRedis.disconnect();
      await Promise.all([db.close(), health.close(), trace.tracing?.stop()]);
    },
  };
}

/** What attempts are run with; `close` once none is left. */
async function openServices(
  config: DispatcherConfig,
  args: {
    db: Database;
    queues: Queues;
    redis: Redis;
    metrics: DispatcherMetrics;
    activity: Activity;
    log: Logger;
  },
): Promise<{ services: AttemptServices; starter: Starter; close(): Promise<void> }> {
  const { db, queues, metrics, log } = args;
  const { connections } = config;
  const catalogue = openModelCatalogue(db);
  const providers = createProviders(connections, measured(metrics));
  const callbackBaseUrl = config.CALLBACK_URL ?? config.PUBLIC_URL ?? null;
  const routes = openRoutes({ db, catalogue, providers, connections, callbackBaseUrl });
  const { slots, stopReports } = openSharedSlots(config, { ...args, catalogue, routes });
  const egress = createEgressPolicy(egressSettings(config));
  for (const opening of egress.openings) log.warn(`egress exception: ${opening}`);
  const leases = createLeases(db, log);
  const publishChanges = openChangePublisher(args.redis);
  const starter = openStarter({ db, hints: { fanout: queues.fanout, publishChanges }, leaseS });
  const recorder = openAttemptRecorder({ db, settle: queues.settle, publishChanges, log });
  const files = { db, store: await openStore(config), egress };
  const retentionS = config.STREAM_RETENTION_S;
  const streams = openStreams({ db, files, publishChanges, retentionS, log });
  return {
    services: { files, routes, leases, slots, recorder, streams, metrics },
    starter,
    async close() {
      await Promise.all([starter.idle(), recorder.idle(), streams.idle()]);
      await stopReports();
      providers.close();
    },
  };
}

function openSharedSlots(
  config: DispatcherConfig,
  args: {
    db: Database;
    catalogue: ModelCatalogue;
    redis: Redis;
    routes: Routes;
    metrics: DispatcherMetrics;
    activity: Activity;
    log: Logger;
  },
): { slots: Slots; stopReports(): Promise<unknown> } {
  const { db, catalogue, metrics, activity, log } = args;
  const { connections } = config;
  const admission = openAdmissionControl(args.redis);
  const breakers = openBreakers({
    admission,
    connections: Object.keys(connections),
    state: metrics.breakers,
    isActive: activity.seemsActive,
    log,
  });
  const capacity = openCapacity({
    db,
    admission,
    learned: metrics.capacity,
    isActive: activity.seemsActive,
    log,
  });
  const limits = openLimits({
    connections,
    ownLimits: openOrganizationLimits(db),
    defaultLimit: config.ORGANIZATION_MAX_CONCURRENCY ?? null,
  });
  const routeFilter = args.routes.filterFor;
  return {
    slots: openSlots({ db, catalogue, admission, limits, breakers, capacity, routeFilter }),
    stopReports: () => Promise.all([breakers.stop(), capacity.stop()]),
  };
}
