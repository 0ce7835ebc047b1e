import type { Database } from '@holdfast/db/client';
import type { Batcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { connectWorker } from '@holdfast/queues/connection';
import { deliverQueue } from '@holdfast/queues/deliver';
import { fanoutQueue } from '@holdfast/queues/fanout';
import type { JobMetrics } from '@holdfast/queues/jobMetrics';
import { testCallQueue } from '@holdfast/queues/testCall';
import { type QueueWorker, startWorker } from '@holdfast/queues/worker';
import type { Lanes } from './lanes.ts';
import type { Send } from './send.ts';
import { makeTestCall } from './testCall.ts';

/** The queues this service takes from, as one. */
export function startWorkers(args: {
  redis: ReturnType<typeof connectWorker>;
  metrics: JobMetrics;
  log: Logger;
  db: Database;
  send: Send;
  fanOut: Batcher<string, undefined>;
  lanes: Lanes;
}): QueueWorker {
  const { redis, metrics, log, db, send, fanOut, lanes } = args;
  const workers = [
    startWorker({
      queue: fanoutQueue,
      redis,
      concurrency: 256,
      log,
      metrics,
      process: ({ eventIds }) => Promise.all(eventIds.map(fanOut.add)),
    }),
    startWorker({
      queue: deliverQueue,
      redis,
      concurrency: 64,
      log,
      metrics,
      process: async (lane) => lanes.wake(lane),
    }),
    startWorker({
      queue: testCallQueue,
      redis,
      concurrency: 64,
      log,
      metrics,
      process: (call) => makeTestCall({ db, send }, call),
    }),
  ];
  return {
    problem: () => workers.map((worker) => worker.problem()).find((problem) => problem !== null) ?? null,
    stop: async () => void (await Promise.all(workers.map((worker) => worker.stop()))),
  };
}
