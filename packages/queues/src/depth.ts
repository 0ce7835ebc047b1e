import type { Queue } from 'bullmq';
import type { Redis } from './connection.ts';
import { readHintDepth } from './hintList.ts';

export type QueueDepth = {
  queue: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  isPaused: boolean;
  oldestWaitingMs: number | null;
};

/** Hints in the queue's list count as waiting jobs. */
export async function readDepth(queue: Queue, redis: Redis): Promise<QueueDepth> {
  const hints = await readHintDepth(redis, queue.name);
  const [counts, isPaused, [oldest]] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue.isPaused(),
    queue.getJobs(['waiting'], 0, 0, true),
  ]);
  const of = (state: string) => counts[state] ?? 0;
  const oldestAtMs = Math.min(oldest?.timestamp ?? Infinity, hints.oldestAtMs ?? Infinity);
  return {
    queue: queue.name,
    waiting: of('waiting') + of('prioritized') + hints.waiting,
    active: of('active'),
    delayed: of('delayed'),
    failed: of('failed'),
    isPaused,
    oldestWaitingMs: oldestAtMs === Infinity ? null : Math.max(0, Date.now() - oldestAtMs),
  };
}

export async function countReadyJobs(queue: Queue): Promise<number> {
  const count = await queue.getWaitingCount();
  return count > 0 && (await queue.isPaused()) ? 0 : count;
}
