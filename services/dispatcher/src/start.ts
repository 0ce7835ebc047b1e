import { openDatabase } from '@holdfast/db/client';
import { openModelCatalogue } from '@holdfast/db/models/cache';
import { ping } from '@holdfast/db/ping';
import { egressSettings } from '@holdfast/egress/config';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { openAwaiter } from '@holdfast/executions/awaitCallback';
import { openOutcomeRecorder } from '@holdfast/executions/recordOutcome';
import { openStarter } from '@holdfast/executions/start';
import { openStore } from '@holdfast/files/open';
import { startHealthServer } from '@holdfast/kit/health';
import type { Logger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import type { Service } from '@holdfast/kit/run';
import { createSlots } from '@holdfast/kit/slots';
import { createProviders } from '@holdfast/providers/registry';
import { connectProducer, connectWorker } from '@holdfast/queues/connection';
import { openTurns } from '@holdfast/queues/turns';
import type { DispatcherConfig } from './config.ts';
import type { Context } from './context.ts';
import { createInHand } from './inHand.ts';
import { leaseS } from './lease.ts';
import { dispatcherMetrics } from './metrics.ts';
import { openQueues, startWorkers } from './queues.ts';
import { startSweeps } from './sweeps.ts';

/** Runs in hand at a stop may end by themselves for so long; the rest is handed back. */
const stopGraceMs = 20_000;

/** Talks to providers: starts executions, runs them, copies their outputs, records how they ended. */
export async function startDispatcher(config: DispatcherConfig, log: Logger): Promise<Service> {
  const registry = createRegistry('dispatcher');
  const producing = connectProducer(config.REDIS_URL, log);
  const working = connectWorker(config.REDIS_URL, log);
  const queues = openQueues(producing, log);
  const context = openContext(config, queues, dispatcherMetrics(registry), log);
  const { db } = context;
  for (const opening of context.egress.openings) log.warn(`egress is opened: ${opening}`);

  const workers = startWorkers(context, working, config.DISPATCH_CONCURRENCY);
  const sweeps = startSweeps(context, queues, openTurns(producing, 'dispatcher'));
  const health = await startHealthServer({
    at: { host: config.LISTEN_HOST, port: config.METRICS_PORT },
    registry,
    live: {
      workers: () => workers.map((worker) => worker.problem()).find((problem) => problem !== null) ?? null,
      sweeps: sweeps.problem,
    },
    ready: { database: () => ping(db) },
  });
  log.info({ port: health.port, connections: Object.keys(config.connections) }, 'dispatcher is up');

  return {
    async stop() {
      context.slots.close();
      const stopped = Promise.all(workers.map((worker) => worker.stop()));
      // A sweep that takes long, as removing files does, must not keep runs from being handed back.
      await Promise.all([sweeps.stop(), context.inHand.handBack(stopGraceMs)]);
      await stopped;
      await context.slots.idle();
      await Promise.all([context.starter.idle(), context.awaiter.idle(), context.outcomes.idle()]);
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      context.providers.close();
      producing.disconnect();
      working.disconnect();
      await Promise.all([db.close(), health.close()]);
    },
  };
}

function openContext(
  config: DispatcherConfig,
  queues: ReturnType<typeof openQueues>,
  metrics: Context['metrics'],
  log: Logger,
): Context {
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'dispatcher',
  });
  return {
    db,
    store: openStore(config),
    catalogue: openModelCatalogue(db),
    providers: createProviders(config.connections),
    connections: config.connections,
    egress: createEgressPolicy(egressSettings(config)),
    starter: openStarter({ db, fanout: queues.fanout, leaseS }),
    awaiter: openAwaiter(db, log),
    outcomes: openOutcomeRecorder({ db, settle: queues.settle, log }),
    inHand: createInHand(db, log),
    slots: createSlots(config.DISPATCH_CONCURRENCY),
    callbackBaseUrl: config.CALLBACK_URL ?? config.PUBLIC_URL ?? null,
    metrics,
    log,
  };
}
