import type { Activity } from '@holdfast/kit/activity';
import type { Logger } from '@holdfast/kit/logger';
import { checkModel } from '@holdfast/providers/catalogue/checkModel';
import type { Connection } from '@holdfast/providers/connection';
import type { Redis } from '@holdfast/queues/connection';
import {
  abortQueue,
  type CheckModelResult,
  callbackQueue,
  checkModelQueue,
  dispatchQueue,
  fanoutQueue,
  pollQueue,
  recoverQueue,
  settleQueue,
} from '@holdfast/queues/definitions';
import { openProducer } from '@holdfast/queues/producer';
import type { JobMetrics } from '@holdfast/queues/worker';
import { type QueueWorker, startWorker, workerGroup } from '@holdfast/queues/worker';
import type { AttemptServices } from '../attempt/attempt.ts';
import type { Trace } from '../attempt/trace.ts';
import { firstTry } from '../schedule/backlog.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { receiveCallback } from './callback.ts';
import { abort, poll, recover } from './jobs.ts';

export type Queues = ReturnType<typeof openQueues>;

export function openQueues(redis: Redis, log: Logger) {
  return {
    dispatch: openProducer(dispatchQueue, redis, log),
    recover: openProducer(recoverQueue, redis, log),
    poll: openProducer(pollQueue, redis, log),
    callback: openProducer(callbackQueue, redis, log),
    settle: openProducer(settleQueue, redis, log),
    fanout: openProducer(fanoutQueue, redis, log),
  };
}

/** The work of jobs by the id in them, for workers and, without Redis, for sweeps. */
export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(services: AttemptServices, trace: Trace) {
  return {
    recover: (attemptId: string) => recover(services, trace, attemptId),
    poll: (attemptId: string) => poll(services, trace, attemptId),
    callback: (callbackId: string) => receiveCallback(services, trace, callbackId),
  };
}

const schedulingConcurrency = 64;

export function startWorkers(
  {
    services,
    jobs,
    scheduler,
    trace,
  }: { services: AttemptServices; jobs: Jobs; scheduler: Scheduler; trace: Trace },
  {
    redis,
    connections,
    concurrency,
    metrics,
    activity,
  }: {
    redis: Redis;
    connections: Record<string, Connection>;
    concurrency: number;
    metrics: JobMetrics;
    activity: Pick<Activity, 'wake'>;
  },
): QueueWorker {
  const common = { redis, log: trace.log, metrics, onTaken: activity.wake };
  return workerGroup([
    startWorker({
      ...common,
      queue: dispatchQueue,
      concurrency: schedulingConcurrency,
      process: async ({ executions }) => scheduler.add(executions.map(firstTry)),
    }),
    startWorker({
      ...common,
      queue: recoverQueue,
      concurrency,
      process: ({ attemptId }) => jobs.recover(attemptId),
    }),
    startWorker({
      ...common,
      queue: pollQueue,
      concurrency,
      process: ({ attemptId }) => jobs.poll(attemptId),
    }),
    startWorker({
      ...common,
      queue: callbackQueue,
      concurrency,
      process: ({ callbackId }) => jobs.callback(callbackId),
    }),
    startWorker({
      ...common,
      queue: abortQueue,
      concurrency,
      process: ({ executionId }) => abort(services, trace, executionId),
    }),
    startWorker({
      ...common,
      queue: checkModelQueue,
      concurrency: 1,
      process: async (asked): Promise<CheckModelResult> => checkModel(connections, asked),
    }),
  ]);
}
