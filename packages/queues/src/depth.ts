import type { GaugeReader } from '@holdfast/kit/metrics';
import { gauge, type Registry } from '@holdfast/kit/metrics';
import { within } from '@holdfast/kit/within';
import type { Queue } from 'bullmq';
import { type Redis, untilReady } from './connection.ts';
import { queueNames } from './definitions.ts';
import { openQueue } from './producer.ts';

/** Jobs of a queue. `waiting` are those that are due, `oldestWaitingMs` is how long the first of them has waited. */
export type QueueDepth = {
  queue: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  isPaused: boolean;
  oldestWaitingMs: number | null;
};

export async function readDepth(queue: Queue): Promise<QueueDepth> {
  const [counts, isPaused, [oldest]] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue.isPaused(),
    queue.getJobs(['waiting'], 0, 0, true),
  ]);
  const of = (state: string) => counts[state] ?? 0;
  return {
    queue: queue.name,
    waiting: of('waiting') + of('prioritized'),
    active: of('active'),
    delayed: of('delayed'),
    failed: of('failed'),
    isPaused,
    oldestWaitingMs: oldest ? Math.max(0, Date.now() - oldest.timestamp) : null,
  };
}

/** How many jobs a worker may take now: none of a queue that somebody has paused. */
export async function countReadyJobs(queue: Queue): Promise<number> {
  const count = await queue.getWaitingCount();
  return count > 0 && (await queue.isPaused()) ? 0 : count;
}

const answerWithinMs = 5000;
const readyWithinMs = 1000;

/** How many jobs every queue holds, and since when; on a connection of `connectProducer`. Some forty short commands. */
export function depthGauges(registry: Registry, redis: Redis): GaugeReader {
  const depth = gauge(registry, 'queue_depth', 'Jobs in a queue, by state', ['queue', 'state']);
  const oldest = gauge(
    registry,
    'queue_oldest_waiting_seconds',
    'Since when the first job of a queue waits; 0 when none does',
    ['queue'],
  );
  const queues = queueNames.map((name) => openQueue(name, redis));
  const forget = () => {
    depth.reset();
    oldest.reset();
  };
  return {
    async read() {
      // A service that has just begun is about to reach it.
      await untilReady(redis, readyWithinMs).catch(forget);
      if (redis.status !== 'ready') return;
      const depths = await within(
        answerWithinMs,
        'counting jobs',
        Promise.all(queues.map((queue) => readDepth(queue()))),
      );
      for (const { queue, oldestWaitingMs, ...jobs } of depths) {
        for (const state of ['waiting', 'active', 'delayed', 'failed'] as const)
          depth.set({ queue, state }, jobs[state]);
        oldest.set({ queue }, (oldestWaitingMs ?? 0) / 1000);
      }
    },
    forget,
  };
}
