import type { Database } from '@holdfast/db/client';
import { listDueLanes } from '@holdfast/db/webhooks/dueLanes';
import { endOverdueDeliveries } from '@holdfast/db/webhooks/endOverdueDeliveries';
import { listUnfannedEvents } from '@holdfast/db/webhooks/eventsToFanOut';
import { fanOutEndpointEvents } from '@holdfast/db/webhooks/fanOutEndpointEvents';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweeps, startSweep, sweepGroup, type Turn } from '@holdfast/kit/sweep';
import type { deliverQueue } from '@holdfast/queues/deliver';
import { fanoutJobs, type fanoutQueue } from '@holdfast/queues/fanout';
import type { Producer } from '@holdfast/queues/producer';
import type { PayloadOf } from '@holdfast/queues/queue';
import type { WebhookMetrics } from './metrics.ts';

/** What has just been written is left to its job for so long. */
const graceS = 5;
const limit = 1000;

/** What a lost job would strand, retries and probes whose time has come, and deliveries that are out of time. */
export function startSweeps(args: {
  db: Database;
  fanout: Producer<PayloadOf<typeof fanoutQueue>>;
  deliver: Producer<PayloadOf<typeof deliverQueue>>;
  metrics: WebhookMetrics;
  turnOf(sweep: string, intervalMs: number): Turn;
  log: Logger;
}): Sweeps {
  const { db, fanout, deliver, metrics, turnOf, log } = args;
  const sweep = (name: string, intervalMs: number, work: () => Promise<void>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs) });
  return sweepGroup([
    sweep('events to fan out', 2000, async () =>
      fanout.addAll(fanoutJobs(await listUnfannedEvents(db, graceS, limit))),
    ),
    sweep('events of endpoints', 2000, async () => deliver.addAll(await fanOutEndpointEvents(db))),
    sweep('due deliveries', 1000, async () => deliver.addAll(await listDueLanes(db, graceS))),
    sweep('overdue deliveries', 30_000, async () =>
      metrics.outcomes.inc({ outcome: 'expired' }, await endOverdueDeliveries(db, limit)),
    ),
  ]);
}
