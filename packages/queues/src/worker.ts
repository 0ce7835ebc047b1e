import type { Logger } from '@holdfast/kit/logger';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { openQueue } from './producer.ts';
import { type QueueDefinition, queuePrefix } from './queue.ts';

export type QueueWorker = {
  /** Null while jobs are being taken; else what is wrong (for /healthz). */
  problem(): string | null;
  /** Takes no more jobs and resolves when those in hand are done. */
  stop(): Promise<void>;
};

const watchEveryMs = 5000;
const silentAfterMs = 15_000;
const deadAfterMs = 60_000;

/**
 * Takes jobs from a queue on a connection of `connectWorker`, `concurrency` at a time.
 * A worker can fall silent after a Redis outage while it still claims to run, so progress is watched: jobs that wait
 * while nothing is taken get a new worker.
 */
export function startWorker<Payload>(args: {
  queue: QueueDefinition<Payload>;
  redis: Redis;
  concurrency: number;
  log: Logger;
  process(payload: Payload): Promise<unknown>;
}): QueueWorker {
  const { queue, redis, log } = args;
  const counts = openQueue(queue.name, redis);
  let lastProgressMs = performance.now();
  let active = 0;
  let worker = open();

  async function take(data: unknown): Promise<unknown> {
    active += 1;
    lastProgressMs = performance.now();
    try {
      return await args.process(queue.payload.parse(data));
    } catch (error) {
      log.error({ err: error, queue: queue.name }, 'job failed');
      throw error;
    } finally {
      active -= 1;
      lastProgressMs = performance.now();
    }
  }

  function open(): Worker {
    const opened = new Worker(queue.name, (job) => take(job.data), {
      connection: redis,
      prefix: queuePrefix(queue.name),
      concurrency: args.concurrency,
      // A killed process's jobs come back within seconds; what runs twice is stopped by the database.
      lockDuration: 15_000,
      stalledInterval: 5000,
      maxStalledCount: 10,
    });
    opened.on('error', (error) => log.debug({ err: error, queue: queue.name }, 'worker error'));
    return opened;
  }

  async function watch(): Promise<void> {
    const waiting = redis.status === 'ready' ? await counts().getWaitingCount() : 0;
    if (waiting === 0 || active > 0) lastProgressMs = performance.now();
    if (performance.now() - lastProgressMs < silentAfterMs) return;
    log.warn({ queue: queue.name, waiting }, 'the worker fell silent; opening a new one');
    const silent = worker;
    worker = open();
    silent.close(true).catch(() => {});
  }

  const watcher = setInterval(() => void watch().catch(() => {}), watchEveryMs);
  return {
    problem: () =>
      performance.now() - lastProgressMs > deadAfterMs
        ? `no job of ${queue.name} was taken for a minute`
        : null,
    async stop() {
      clearInterval(watcher);
      await worker.close();
      if (redis.status === 'ready') await counts().close();
    },
  };
}
