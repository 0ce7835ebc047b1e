import { counter, histogram, type Registry } from '@holdfast/kit/metrics';

/** Told of every job that a worker has done. */
export type JobMetrics = {
  ended(queue: string, outcome: 'done' | 'failed', seconds: number): void;
};

export function jobMetrics(registry: Registry): JobMetrics {
  const jobs = counter(registry, 'queue_jobs_total', 'Jobs taken from a queue, by how they ended', [
    'queue',
    'outcome',
  ]);
  const seconds = histogram(registry, 'queue_job_seconds', 'Time that a worker spent on a job', ['queue']);
  return {
    ended(queue, outcome, durationS) {
      jobs.inc({ queue, outcome });
      seconds.observe({ queue }, durationS);
    },
  };
}
