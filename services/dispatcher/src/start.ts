import { backlogGauges } from '@holdfast/db/backlog';
import { openDatabase } from '@holdfast/db/client';
import { openModelCatalogue } from '@holdfast/db/models';
import { ping } from '@holdfast/db/server';
import { egressSettings } from '@holdfast/egress/config';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { openAttemptRecorder } from '@holdfast/executions/attemptRecorder';
import { openStarter } from '@holdfast/executions/lifecycle';
import { openStore } from '@holdfast/files/open';
import { startHealthServer } from '@holdfast/kit/health';
import type { Logger } from '@holdfast/kit/logger';
import { createRegistry, engineGauges, liveGauge, startGaugeReaders } from '@holdfast/kit/metrics';
import type { Service } from '@holdfast/kit/service';
import { createShares, type Shares } from '@holdfast/kit/shares';
import { openTracing, type Tracing } from '@holdfast/kit/tracing/tracing';
import { createProviders } from '@holdfast/providers/registry';
import { openAdmissionControl } from '@holdfast/queues/admission';
import { connectProducer, connectWorker, type Redis } from '@holdfast/queues/connection';
import { openLeadership, openSweepTurns } from '@holdfast/queues/instances';
import { jobMetrics } from '@holdfast/queues/worker';
import { openBreakers } from './breakers.ts';
import { openCapacity } from './capacity.ts';
import type { DispatcherConfig } from './config.ts';
import type { Context } from './context.ts';
import { createInHand } from './inHand.ts';
import { leaseS } from './lease.ts';
import { openLimits } from './limits.ts';
import { measured } from './measureProviders.ts';
import { dispatcherMetrics } from './metrics.ts';
import { openToOrganizations } from './openTo.ts';
import { openOrganizationLimits } from './organizationLimits.ts';
import { openQueues, startWorkers } from './queues.ts';
import { begin } from './run.ts';
import { createScheduler } from './scheduler.ts';
import { startSweeps } from './sweeps.ts';

/** Runs in hand at a stop may end by themselves for so long; the rest is handed back. */
const stopGraceMs = 20_000;

/** Talks to providers: starts executions, runs them, copies their outputs, records how they ended. */
export async function startDispatcher(config: DispatcherConfig, log: Logger): Promise<Service> {
  const registry = createRegistry('dispatcher');
  const producing = connectProducer(config.REDIS_URL, log);
  const working = connectWorker(config.REDIS_URL, log);
  const queues = openQueues(producing, log);
  const shares = createShares(config.DISPATCH_CONCURRENCY);
  const metrics = dispatcherMetrics(registry, Object.keys(config.connections));
  const tracing = await openTracing('dispatcher', config, log);
  const context = openContext({ config, redis: producing, queues, metrics, shares, tracing, log });
  const { db } = context;
  engineGauges(registry, { pool: db.pool, redis: producing });
  liveGauge(
    registry,
    'runs_waiting',
    'Runs that wait for their turn in this process',
    context.scheduler.waiting,
  );
  liveGauge(registry, 'runs_in_hand', 'Runs that this process is at', shares.taken);
  for (const opening of context.egress.openings) log.warn(`egress is opened: ${opening}`);

  const workers = startWorkers(context, working, config.DISPATCH_CONCURRENCY, jobMetrics(registry));
  const sweeps = startSweeps(context, queues, openSweepTurns(producing, 'dispatcher'));
  const readings = startGaugeReaders({
    name: 'backlog',
    leads: openLeadership(producing, 'dispatcher readings'),
    readings: [
      backlogGauges(registry, db, ['pending', 'waiting_tries', 'busy', 'running', 'abandoned', 'callbacks']),
    ],
    log,
  });
  const health = await startHealthServer({
    at: { host: config.LISTEN_HOST, port: config.METRICS_PORT },
    registry,
    live: {
      workers: workers.problem,
      sweeps: sweeps.problem,
      readings: readings.problem,
    },
    ready: { database: () => ping(db) },
  });
  log.info({ port: health.port, connections: Object.keys(config.connections) }, 'dispatcher is up');

  return {
    async stop() {
      context.scheduler.close();
      const stopped = workers.stop();
      // A sweep that takes long, as removing files does, must not keep runs from being handed back.
      await Promise.all([sweeps.stop(), readings.stop(), context.inHand.handBack(stopGraceMs)]);
      await stopped;
      await shares.idle();
      await Promise.all([context.starter.idle(), context.recorder.idle()]);
      await Promise.all([context.breakers.stop(), context.capacity.stop()]);
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      context.providers.close();
      producing.disconnect();
      working.disconnect();
      await Promise.all([db.close(), health.close(), tracing?.stop()]);
    },
  };
}

function openContext(args: {
  config: DispatcherConfig;
  redis: Redis;
  queues: ReturnType<typeof openQueues>;
  metrics: Context['metrics'];
  shares: Shares;
  tracing: Tracing | null;
  log: Logger;
}): Context {
  const { config, redis, queues, metrics, shares, tracing, log } = args;
  const { connections } = config;
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    isPrepared: config.DATABASE_PREPARED,
    applicationName: 'dispatcher',
  });
  const catalogue = openModelCatalogue(db);
  const desk = openAdmissionControl(redis);
  const limits = openLimits({
    connections,
    own: openOrganizationLimits(db),
    usual: config.ORGANIZATION_MAX_CONCURRENCY ?? null,
  });
  const breakers = openBreakers({
    desk,
    connections: Object.keys(connections),
    state: metrics.breakers,
    log,
  });
  const capacity = openCapacity({ db, desk, learned: metrics.capacity, log });
  const openTo = openToOrganizations(db, connections);
  const scheduler = createScheduler({
    shares,
    size: config.DISPATCH_CONCURRENCY,
    desk,
    limits,
    breakers,
    capacity,
    openTo,
    definitionOf: async (model) => (await catalogue.find(model))?.definition ?? null,
    begin: (waiting, route) => begin(context, waiting, route),
    log,
  });
  const context: Context = {
    db,
    store: openStore(config),
    catalogue,
    providers: createProviders(connections, measured(metrics)),
    connections,
    egress: createEgressPolicy(egressSettings(config)),
    starter: openStarter({ db, fanout: queues.fanout, leaseS }),
    recorder: openAttemptRecorder({ db, settle: queues.settle, log }),
    inHand: createInHand(db, log),
    scheduler,
    openTo,
    desk,
    limits,
    breakers,
    capacity,
    isRedisUp: () => redis.status === 'ready',
    callbackBaseUrl: config.CALLBACK_URL ?? config.PUBLIC_URL ?? null,
    metrics,
    tracing,
    span: null,
    log,
  };
  return context;
}
