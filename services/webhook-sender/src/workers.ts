import type { Database } from '@holdfast/db/client';
import type { Batcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { connectWorker } from '@holdfast/queues/connection';
import { deliverQueue, fanoutQueue, testCallQueue } from '@holdfast/queues/definitions';
import type { JobMetrics } from '@holdfast/queues/worker';
import { type QueueWorker, startWorker, workerGroup } from '@holdfast/queues/worker';
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
  const common = { redis, log, metrics };
  return workerGroup([
    startWorker({
      ...common,
      queue: fanoutQueue,
      concurrency: 256,
      process: ({ eventIds }) => Promise.all(eventIds.map(fanOut.add)),
    }),
    startWorker({
      ...common,
      queue: deliverQueue,
      concurrency: 64,
      process: async (lane) => lanes.wake(lane),
    }),
    startWorker({
      ...common,
      queue: testCallQueue,
      concurrency: 64,
      process: (call) => makeTestCall({ db, send }, call),
    }),
  ]);
}
