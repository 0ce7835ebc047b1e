import { within } from '@holdfast/kit/within';
import { Queue } from 'bullmq';
import { connectProducer, type Redis, untilReady } from './connection.ts';
import { type QueueDefinition, queueNames, queuePrefix } from './definitions.ts';
import { type QueueDepth, readDepth } from './depth.ts';
import { openQueue } from './producer.ts';

export type FailedJob = { id: string; reason: string; failedAt: Date | null; tries: number };

export type RedisFacts = {
  version: string;
  maxmemoryPolicy: string;
  maxmemoryBytes: number;
  usedBytes: number;
  persistence: string;
  /** The server's clock (Unix ms), read in the middle of `askedMs`. */
  timeMs: number;
  askedMs: { from: number; to: number };
};

/** For operators. Its methods throw while Redis is unavailable. */
export type Inspector = {
  depths(): Promise<QueueDepth[]>;
  failed(queue: string, limit: number): Promise<FailedJob[]>;
  retryFailed(queue: string): Promise<number>;
  resume(queue: string): Promise<boolean>;
  facts(): Promise<RedisFacts>;
  close(): Promise<void>;
};

const responseWithinMs = 5000;
/** BullMQ would print a wrong maxmemory-policy once per queue; `facts` has it. */
const quiet = { skipVersionCheck: true };

// Not the logger, which takes 0.03 s to load.
const silent = { info() {}, warn() {} };

/** @throws when Redis is not reached within 5 s, or refuses the login */
export async function openInspector(url: string): Promise<Inspector> {
  const redis = connectProducer(url, silent);
  try {
    await untilReady(redis, responseWithinMs);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const queues = new Map<string, Queue>();
  const open = (name: string) => {
    const queue = queues.get(name) ?? openQueue(name, redis, quiet)();
    queues.set(name, queue);
    return queue;
  };
  const withTimeout = <Result>(work: Promise<Result>) => within(responseWithinMs, 'asking Redis', work);
  return {
    depths: () => withTimeout(Promise.all(queueNames.map((name) => readDepth(open(name), redis)))),
    failed: (name, limit) => withTimeout(failedOf(open(name), limit)),
    async retryFailed(name) {
      const queue = open(name);
      const count = await withTimeout(queue.getFailedCount());
      if (count > 0) await queue.retryJobs({ state: 'failed' });
      return count;
    },
    async resume(name) {
      const queue = open(name);
      const wasPaused = await withTimeout(queue.isPaused());
      if (wasPaused) await withTimeout(queue.resume());
      return wasPaused;
    },
    async facts() {
      const from = Date.now();
      const [seconds, micros] = await withTimeout(redis.time());
      const askedMs = { from, to: Date.now() };
      const timeMs = Number(seconds) * 1000 + Number(micros) / 1000;
      return { ...factsOf(await withTimeout(redis.info())), timeMs, askedMs };
    },
    async close() {
      const closing = Promise.all([...queues.values()].map((queue) => queue.close()));
      await within(responseWithinMs, 'closing', closing).catch(() => undefined);
      redis.disconnect();
    },
  };
}

async function failedOf(queue: Queue, limit: number): Promise<FailedJob[]> {
  const jobs = await queue.getFailed(0, limit - 1);
  return jobs.map((job) => ({
    id: job.id ?? '',
    reason: job.failedReason ?? '',
    failedAt: job.finishedOn === undefined ? null : new Date(job.finishedOn),
    tries: job.attemptsMade,
  }));
}

function factsOf(info: string): Omit<RedisFacts, 'timeMs' | 'askedMs'> {
  const of = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = of('valkey_version') ? `Valkey ${of('valkey_version')}` : of('redis_version');
  const saves = Number(of('rdb_last_save_time')) > 0;
  return {
    version,
    maxmemoryPolicy: of('maxmemory_policy'),
    maxmemoryBytes: Number(of('maxmemory')),
    usedBytes: Number(of('used_memory')),
    persistence: of('aof_enabled') === '1' ? 'append-only file' : saves ? 'snapshots' : 'none',
  };
}

export async function pauseQueue<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
): Promise<() => Promise<void>> {
  const queue = new Queue(definition.name, { connection: redis, prefix: queuePrefix(definition.name) });
  await queue.pause();
  return async () => {
    await queue.resume();
    await queue.close();
  };
}
