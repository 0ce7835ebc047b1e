import { within } from '@holdfast/kit/within';
import type { Queue } from 'bullmq';
import { readCircuits, readForeignLimits } from './admission.ts';
import type { Redis } from './connection.ts';
import { queueNames } from './definitions.ts';
import { type QueueDepth, readDepth } from './depth.ts';
import { openQueue } from './producer.ts';
import type { ForeignKey } from './queueKeys.ts';

export type FailedJob = { id: string; reason: string; failedAt: Date | null; tries: number };

/** For operators. Its methods throw while Redis is unavailable. */
export type QueueControls = {
  depths(): Promise<QueueDepth[]>;
  failed(queue: string, limit: number): Promise<FailedJob[]>;
  retryFailed(queue: string): Promise<number>;
  /** False: it was paused already. No worker takes jobs from a paused queue; sweeps still process overdue work. */
  pause(queue: string): Promise<boolean>;
  /** False: it was not paused. */
  resume(queue: string): Promise<boolean>;
  /** Open circuits by connection, each with the time until which it is open; then it is probed. */
  openCircuits(): Promise<ReadonlyMap<string, Date>>;
  /** Keys of the limits that something else has written. */
  foreignLimits(): Promise<ForeignKey[]>;
  close(): Promise<void>;
};

const responseWithinMs = 5000;

export function openQueueControls(redis: Redis, options: { skipVersionCheck?: boolean } = {}): QueueControls {
  const queues = new Map<string, () => Queue>();
  const open = (name: string) => {
    const queue = queues.get(name) ?? openQueue(name, redis, options);
    queues.set(name, queue);
    return queue();
  };
  const withTimeout = <Result>(work: Promise<Result>) => within(responseWithinMs, 'asking Redis', work);
  /** Whether it was in the other state. */
  async function setPaused(name: string, isPaused: boolean): Promise<boolean> {
    const queue = open(name);
    if ((await withTimeout(queue.isPaused())) === isPaused) return false;
    await withTimeout(isPaused ? queue.pause() : queue.resume());
    return true;
  }
  return {
    depths: async () =>
      await withTimeout(Promise.all(queueNames.map((name) => readDepth(open(name), redis)))),
    failed: async (name, limit) => await withTimeout(failedOf(open(name), limit)),
    async retryFailed(name) {
      const queue = open(name);
      const count = await withTimeout(queue.getFailedCount());
      if (count > 0) await withTimeout(queue.retryJobs({ state: 'failed' }));
      return count;
    },
    pause: async (name) => await setPaused(name, true),
    resume: async (name) => await setPaused(name, false),
    async openCircuits() {
      const until = await withTimeout(readCircuits(redis));
      return new Map([...until].map(([name, untilMs]) => [name, new Date(untilMs)]));
    },
    foreignLimits: async () => await withTimeout(readForeignLimits(redis)),
    async close() {
      if (redis.status !== 'ready') return;
      const closing = Promise.all([...queues.values()].map((queue) => queue().close()));
      await within(responseWithinMs, 'closing', closing).catch(() => undefined);
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
