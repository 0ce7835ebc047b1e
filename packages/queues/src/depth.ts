import type { Queue } from 'bullmq';
import type { Redis } from './connection.ts';
import { type ForeignKey, readForeignKeys } from './queueKeys.ts';

export type QueueDepth = {
  queue: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  isPaused: boolean;
  oldestWaitingMs: number | null;
  /** If there are any, nothing else of the queue could be read. */
  foreignKeys: ForeignKey[];
};

const nothing = { waiting: 0, active: 0, delayed: 0, failed: 0, isPaused: false, oldestWaitingMs: null };

export async function readDepth(queue: Queue, redis: Redis): Promise<QueueDepth> {
  const foreignKeys = await readForeignKeys(redis, queue.name);
  return {
    queue: queue.name,
    ...(foreignKeys.length > 0 ? nothing : await readJobs(queue)),
    foreignKeys,
  };
}

async function readJobs(queue: Queue): Promise<Omit<QueueDepth, 'queue' | 'foreignKeys'>> {
  const [counts, isPaused, [oldest]] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue.isPaused(),
    queue.getJobs(['waiting'], 0, 0, true),
  ]);
  const of = (state: string) => counts[state] ?? 0;
  return {
    waiting: of('waiting') + of('prioritized'),
    active: of('active'),
    delayed: of('delayed'),
    failed: of('failed'),
    isPaused,
    oldestWaitingMs: oldest === undefined ? null : Math.max(0, Date.now() - oldest.timestamp),
  };
}

/** None if no worker can take them: the queue is paused, or unusable. */
export async function countReadyJobs(queue: Queue, redis: Redis): Promise<number> {
  const count = await queue.getWaitingCount();
  if (count === 0 || (await queue.isPaused())) return 0;
  return (await readForeignKeys(redis, queue.name)).length > 0 ? 0 : count;
}
