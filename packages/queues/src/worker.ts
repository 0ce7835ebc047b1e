import type { Logger } from '@holdfast/kit/logger';
import { counter, histogram, type Registry } from '@holdfast/kit/metrics';
import { within } from '@holdfast/kit/within';
import { Worker } from 'bullmq';
import type { Redis } from './connection.ts';
import { type QueueDefinition, queuePrefix } from './definitions.ts';
import { countReadyJobs } from './depth.ts';
import { openQueue } from './producer.ts';
import { createWorkerMonitor } from './workerMonitor.ts';

export type QueueWorker = {
  problem(): string | null;
  stop(): Promise<void>;
};

export function workerGroup(workers: readonly QueueWorker[]): QueueWorker {
  return {
    problem: () => workers.map((worker) => worker.problem()).find((problem) => problem !== null) ?? null,
    stop: async () => void (await Promise.all(workers.map((worker) => worker.stop()))),
  };
}

const watchEveryMs = 10_000;
const responseWithinMs = 1000;
const closeWithinMs = 5000;

/** Processes jobs, `concurrency` at a time, on a connection of `connectWorker`. */
export function startWorker<Payload>(args: {
  queue: QueueDefinition<Payload>;
  redis: Redis;
  concurrency: number;
  log: Logger;
  metrics?: JobMetrics;
  onTaken?(): void;
  process(payload: Payload): Promise<unknown>;
}): QueueWorker {
  const { queue, redis, log } = args;
  const counts = openQueue(queue.name, redis);
  let worker = open();
  const watch = createWorkerMonitor({
    queue: queue.name,
    waiting: async () => countReadyJobs(counts(), redis),
    renew() {
      log.warn({ queue: queue.name }, 'the worker fell silent; opening a new one');
      worker.close(true).catch(() => {});
      worker = open();
    },
  });

  async function take(data: unknown): Promise<unknown> {
    args.onTaken?.();
    const startedMs = performance.now();
    const ended = (outcome: 'done' | 'failed') =>
      args.metrics?.onEnded(queue.name, outcome, (performance.now() - startedMs) / 1000);
    try {
      const result = await watch.during(() => args.process(queue.payload.parse(data)));
      ended('done');
      return result;
    } catch (error) {
      ended('failed');
      log.error({ err: error, queue: queue.name, ...idsIn(data) }, 'job failed');
      throw error;
    }
  }

  function open(): Worker {
    const opened = new Worker(queue.name, (job) => take(job.data), {
      connection: redis,
      prefix: queuePrefix(queue.name),
      concurrency: args.concurrency,
      // Jobs of a killed process return within seconds; the database rejects duplicates.
      lockDuration: 15_000,
      stalledInterval: 5000,
      // A new job wakes the worker; this is for markers that Redis lost.
      drainDelay: 15,
      maxStalledCount: 10,
    });
    opened.on('error', (error) => log.debug({ err: error, queue: queue.name }, 'worker error'));
    return opened;
  }

  const watcher = setInterval(() => void watch.look(), watchEveryMs);
  return {
    problem: watch.problem,
    async stop() {
      clearInterval(watcher);
      const closed = worker.close();
      // Closing waits for Redis; active jobs need not.
      if (!(await isResponding(redis))) return await watch.idle();
      await watch.idle();
      // After an outage a worker may wait for its own connection indefinitely.
      await within(closeWithinMs, 'closing', closed).catch(() =>
        log.warn({ queue: queue.name }, 'worker left open'),
      );
      await watch.idle();
      if (redis.status === 'ready') await within(closeWithinMs, 'closing', counts().close()).catch(() => {});
    },
  };
}

function idsIn(data: unknown): Record<string, unknown> {
  const { executionId, attemptId, attemptIds, eventIds, callbackId, organizationId } = Object(data);
  return { executionId, attemptId, attemptIds, eventIds, callbackId, organizationId };
}

async function isResponding(redis: Redis): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  return await within(responseWithinMs, 'pinging Redis', redis.ping()).then(
    () => true,
    () => false,
  );
}

export type JobMetrics = {
  onEnded(queue: string, outcome: 'done' | 'failed', seconds: number): void;
};

export function jobMetrics(registry: Registry): JobMetrics {
  const jobs = counter(registry, 'queue_jobs_total', 'Jobs taken from a queue, by how they ended', [
    'queue',
    'outcome',
  ]);
  const seconds = histogram(registry, 'queue_job_seconds', 'Time that a worker spent on a job', ['queue']);
  return {
    onEnded(queue, outcome, durationS) {
      jobs.inc({ queue, outcome });
      seconds.observe({ queue }, durationS);
    },
  };
}
