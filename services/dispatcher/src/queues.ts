import type { Logger } from '@holdfast/kit/logger';
import type { Redis } from '@holdfast/queues/connection';
import {
  abortQueue,
  callbackQueue,
  dispatchQueue,
  fanoutQueue,
  pollQueue,
  recoverQueue,
  retryQueue,
  settleQueue,
} from '@holdfast/queues/definitions';
import { openProducer } from '@holdfast/queues/producer';
import type { JobMetrics } from '@holdfast/queues/worker';
import { type QueueWorker, startWorker, workerGroup } from '@holdfast/queues/worker';
import type { Context } from './context.ts';
import { abort } from './jobs/abort.ts';
import { callback } from './jobs/callback.ts';
import { dispatch, retry } from './jobs/dispatch.ts';
import { poll } from './jobs/poll.ts';
import { recover } from './jobs/recover.ts';

export type Queues = ReturnType<typeof openQueues>;

/** The queues that the dispatcher adds to. */
export function openQueues(redis: Redis, log: Logger) {
  return {
    dispatch: openProducer(dispatchQueue, redis, log),
    recover: openProducer(recoverQueue, redis, log),
    retry: openProducer(retryQueue, redis, log),
    poll: openProducer(pollQueue, redis, log),
    callback: openProducer(callbackQueue, redis, log),
    settle: openProducer(settleQueue, redis, log),
    fanout: openProducer(fanoutQueue, redis, log),
  };
}

/** Jobs of what is to be started; how many runs are in hand at once is up to the scheduler. */
const jobsAtOnce = 64;

/** The queues that the dispatcher takes from, as one. */
export function startWorkers(
  context: Context,
  redis: Redis,
  concurrency: number,
  metrics: JobMetrics,
): QueueWorker {
  const common = { redis, log: context.log, metrics };
  return workerGroup([
    startWorker({
      ...common,
      queue: dispatchQueue,
      concurrency: jobsAtOnce,
      process: (job) => dispatch(context, job),
    }),
    startWorker({
      ...common,
      queue: retryQueue,
      concurrency: jobsAtOnce,
      process: (job) => retry(context, job),
    }),
    startWorker({
      ...common,
      queue: recoverQueue,
      concurrency,
      process: ({ attemptId }) => recover(context, attemptId),
    }),
    startWorker({
      ...common,
      queue: pollQueue,
      concurrency,
      process: ({ attemptId }) => poll(context, attemptId),
    }),
    startWorker({
      ...common,
      queue: callbackQueue,
      concurrency,
      process: ({ callbackId }) => callback(context, callbackId),
    }),
    startWorker({
      ...common,
      queue: abortQueue,
      concurrency,
      process: ({ executionId }) => abort(context, executionId),
    }),
  ]);
}
