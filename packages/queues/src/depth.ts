import type { Queue } from 'bullmq';

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

export async function countReadyJobs(queue: Queue): Promise<number> {
  const count = await queue.getWaitingCount();
  return count > 0 && (await queue.isPaused()) ? 0 : count;
}
