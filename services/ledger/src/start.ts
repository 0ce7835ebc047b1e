import { backlogGauges, holdGauges } from '@holdfast/db/backlogGauges';
import { adjustBalance } from '@holdfast/db/balances';
import { type Database, openDatabase } from '@holdfast/db/client';
import { decideReview } from '@holdfast/db/executions/reviews';
import { refundExecution } from '@holdfast/db/refunds';
import { ping } from '@holdfast/db/server';
import { hasWork } from '@holdfast/db/sweeps';
import { openSettler } from '@holdfast/executions/settler';
import { createActivity } from '@holdfast/kit/activity';
import { startHealthServer } from '@holdfast/kit/health';
import type { Logger } from '@holdfast/kit/logger';
import { createRegistry, engineGauges, startGaugeReaders } from '@holdfast/kit/metrics';
import type { Service } from '@holdfast/kit/service';
import { openTracing } from '@holdfast/kit/tracing/tracing';
import { openChangePublisher } from '@holdfast/queues/changes';
import { connectProducer, connectWorker, type Redis } from '@holdfast/queues/connection';
import {
  type AdjustResult,
  abortQueue,
  adjustQueue,
  type DecideResult,
  dispatchQueue,
  fanoutQueue,
  type RefundResult,
  type SettleJob,
  settleQueue,
} from '@holdfast/queues/definitions';
import { depthGauges } from '@holdfast/queues/depthGauges';
import { openLeadership, openSweepTurns } from '@holdfast/queues/instances';
import { openProducer } from '@holdfast/queues/producer';
import { type JobMetrics, jobMetrics, type QueueWorker, startWorker } from '@holdfast/queues/worker';
import type { LedgerConfig } from './config.ts';
import { ledgerMetrics } from './metrics.ts';
import { createReport } from './report.ts';
import { startSweeps } from './sweeps.ts';

/** Settles recorded outcomes and expires overdue executions. */
export async function startLedger(config: LedgerConfig, log: Logger): Promise<Service> {
  const registry = createRegistry('ledger');
  const metrics = ledgerMetrics(registry);
  const tracing = await openTracing('ledger', config, log);
  const report = createReport({ metrics, tracing, log });
  const db: Database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    isPrepared: config.DATABASE_PREPARED,
    applicationName: 'ledger',
  });
  const producing = connectProducer(config.REDIS_URL, log);
  const working = connectWorker(config.REDIS_URL, log);
  engineGauges(registry, { pool: db.pool, redis: producing });
  const jobs = jobMetrics(registry);
  const fanout = openProducer(fanoutQueue, producing, log);
  const abort = openProducer(abortQueue, producing, log);
  const dispatch = openProducer(dispatchQueue, producing, log);
  const hints = { fanout, abort, publishChanges: openChangePublisher(producing) };
  const settler = openSettler({
    db,
    hints,
    onEnded: { completed: report('COMPLETED'), failed: report('FAILED') },
    onBlocked: (organizationId) => log.warn({ organizationId }, 'settlements delayed by a locked balance'),
  });

  const settle = ({ attemptIds, ok }: SettleJob) =>
    Promise.all(attemptIds.map((attemptId) => settler.settle({ attemptId, ok })));
  const activity = createActivity(() => hasWork(db, 'ledger'));
  const worker = startWorker({
    queue: settleQueue,
    redis: working,
    concurrency: config.SETTLE_CONCURRENCY,
    log,
    metrics: jobs,
    onTaken: activity.wake,
    process: settle,
  });
  const adjustments = startAdjustments({ db, redis: working, jobs, log });
  const auditIntervalS = config.AUDIT_INTERVAL_S;
  const turnOf = openSweepTurns(producing, 'ledger');
  const sweeps = startSweeps({
    db,
    hints,
    settle,
    batches: { dispatch, maxOpen: config.BATCH_MAX_OPEN },
    metrics,
    report,
    auditIntervalS,
    retentionDays: {
      executions: config.RETENTION_DAYS ?? null,
      deliveries: config.DELIVERY_RETENTION_DAYS,
    },
    turnOf,
    activity,
    log,
  });
  const readings = startGaugeReaders({
    name: 'depths and backlog',
    leads: openLeadership(producing, 'ledger readings'),
    readings: [
      depthGauges(registry, producing),
      backlogGauges(registry, db, ['unsettled', 'overdue', 'reviews']),
      holdGauges(registry, db),
    ],
    log,
  });
  const health = await startHealthServer({
    at: { host: config.LISTEN_HOST, port: config.METRICS_PORT },
    registry,
    live: {
      worker: worker.problem,
      adjustments: adjustments.problem,
      sweeps: sweeps.problem,
      readings: readings.problem,
    },
    ready: { database: () => ping(db) },
  });
  log.info({ port: health.port }, 'ledger is up');

  return {
    async stop() {
      activity.close();
      await Promise.all([worker.stop(), adjustments.stop(), sweeps.stop(), readings.stop()]);
      await settler.idle();
      await Promise.all([fanout.close(), abort.close(), dispatch.close()]);
      producing.disconnect();
      working.disconnect();
      await Promise.all([db.close(), health.close(), tracing?.stop()]);
    },
  };
}

/** Writes the top-ups, corrections and decisions on reviews that gateways request, because their database role cannot. */
function startAdjustments(args: { db: Database; redis: Redis; jobs: JobMetrics; log: Logger }): QueueWorker {
  const { db, redis, jobs, log } = args;
  return startWorker({
    queue: adjustQueue,
    redis,
    concurrency: 8,
    log,
    metrics: jobs,
    async process({ requestId, ...asked }): Promise<AdjustResult | DecideResult | RefundResult> {
      if (asked.kind === 'refund') {
        const result = await refundExecution(db, asked);
        const { executionId, amount } = asked;
        log.info({ requestId, executionId, amount, outcome: result.outcome }, 'refund processed');
        return result;
      }
      if ('executionId' in asked) {
        const result = await decideReview(db, asked);
        const { executionId, kind, amount, decidedBy } = asked;
        const facts = { requestId, executionId, kind, amount, decidedBy, outcome: result.outcome };
        log.info(facts, 'decision on a review processed');
        return result;
      }
      const result = await adjustBalance(db, asked);
      const { organizationId, kind, amount } = asked;
      log.info({ requestId, organizationId, kind, amount, outcome: result.outcome }, 'adjustment processed');
      return result;
    },
  });
}
