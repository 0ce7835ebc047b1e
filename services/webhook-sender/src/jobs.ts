import type { Database } from '@holdfast/db/client';
import { endOverdueDeliveries } from '@holdfast/db/webhooks/attempts';
import { listUnfannedEvents } from '@holdfast/db/webhooks/fanOut';
import { listDueLanes } from '@holdfast/db/webhooks/lanes';
import { updateEveryMs } from '@holdfast/domain/webhookDialect';
import type { Activity } from '@holdfast/kit/activity';
import type { Batcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweeps, startSweep, sweepGroup, type TurnOf } from '@holdfast/kit/sweep';
import type { connectWorker } from '@holdfast/queues/connection';
import { deliverQueue, fanoutQueue, testCallQueue } from '@holdfast/queues/definitions';
import { type JobMetrics, type QueueWorker, startWorker, workerGroup } from '@holdfast/queues/worker';
import type { FanOut } from './fanOut.ts';
import type { Lanes } from './lanes.ts';
import type { Send } from './message.ts';
import type { WebhookMetrics } from './metrics.ts';
import { makeTestCall } from './testCall.ts';
import type { Updates } from './updates.ts';

export function startWorkers(args: {
  redis: ReturnType<typeof connectWorker>;
  metrics: JobMetrics;
  log: Logger;
  db: Database;
  send: Send;
  fanOut: Pick<FanOut, 'add'>;
  newDeliveries: Batcher<string, undefined>;
  lanes: Lanes;
  activity: Pick<Activity, 'wake'>;
}): QueueWorker {
  const { redis, metrics, log, db, send, fanOut, newDeliveries, lanes, activity } = args;
  const common = { redis, log, metrics, onTaken: activity.wake };
  return workerGroup([
    startWorker({
      ...common,
      queue: fanoutQueue,
      concurrency: 256,
      process: ({ eventIds, deliveryIds = [] }) =>
        Promise.all([...eventIds.map(fanOut.add), ...deliveryIds.map(newDeliveries.add)]),
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

/** New rows are left to their jobs for this time. */
const graceS = 5;
const maxRows = 1000;

/** Lost jobs, due retries and probes, overdue deliveries: done here without a job, so also while Redis is unavailable. */
export function startSweeps(args: {
  db: Database;
  fanOut: Pick<FanOut, 'add'>;
  lanes: Lanes;
  updates: Pick<Updates, 'callDue'>;
  fanOutEndpointEvents(): Promise<void>;
  metrics: WebhookMetrics;
  turnOf: TurnOf;
  activity: Activity;
  log: Logger;
}): Sweeps {
  const { db, fanOut, lanes, updates, metrics, turnOf, activity, log } = args;
  const sweep = (name: string, intervalMs: number, work: () => Promise<unknown>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs), activity });
  return sweepGroup([
    sweep('events to fan out', 2000, async () =>
      Promise.all((await listUnfannedEvents(db, graceS, maxRows)).map(fanOut.add)),
    ),
    sweep('events of endpoints', 2000, args.fanOutEndpointEvents),
    sweep('due deliveries', 1000, async () => (await listDueLanes(db, graceS)).forEach(lanes.wake)),
    sweep('updates', updateEveryMs / 2, updates.callDue),
    sweep('overdue deliveries', 30_000, async () =>
      metrics.outcomes.inc({ outcome: 'expired' }, await endOverdueDeliveries(db, maxRows)),
    ),
  ]);
}
