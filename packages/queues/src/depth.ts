import type { GaugeReader } from '@holdfast/kit/metrics';
import { gauge, type Registry } from '@holdfast/kit/metrics';
import { within } from '@holdfast/kit/within';
import type { Queue } from 'bullmq';
import { type Redis, untilReady } from './connection.ts';
import { queueNames } from './definitions.ts';
import { openQueue } from './producer.ts';

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

/** 0 while the queue is paused. */
export async function countReadyJobs(queue: Queue): Promise<number> {
  const count = await queue.getWaitingCount();
  return count > 0 && (await queue.isPaused()) ? 0 : count;
}

const answerWithinMs = 5000;
const readyWithinMs = 1000;

/** Some forty short commands, on a connection of `connectProducer`. */
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
      // A service that just started is about to connect.
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
