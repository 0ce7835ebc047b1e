import type { Database } from '@holdfast/db/client';
import { endOverdueDeliveries } from '@holdfast/db/webhooks/attempts';
import { listUnfannedEvents } from '@holdfast/db/webhooks/fanOut';
import { listDueLanes } from '@holdfast/db/webhooks/lanes';
import type { Batcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweeps, startSweep, sweepGroup, type TakeTurn } from '@holdfast/kit/sweep';
import type { Lanes } from './lanes.ts';
import type { WebhookMetrics } from './metrics.ts';

/** What has just been written is left to its job for so long. */
const graceS = 5;
const limit = 1000;

/**
 * What a lost job would strand, retries and probes whose time has come, and deliveries that are out of time. What is found
 * is done here, without a job: also while Redis is away.
 */
export function startSweeps(args: {
  db: Database;
  fanOut: Batcher<string, undefined>;
  lanes: Lanes;
  /** Fans out what is to be told of endpoints. */
  tellOfEndpoints(): Promise<void>;
  metrics: WebhookMetrics;
  turnOf(sweep: string, intervalMs: number): TakeTurn;
  log: Logger;
}): Sweeps {
  const { db, fanOut, lanes, tellOfEndpoints, metrics, turnOf, log } = args;
  const sweep = (name: string, intervalMs: number, work: () => Promise<unknown>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs) });
  return sweepGroup([
    sweep('events to fan out', 2000, async () =>
      Promise.all((await listUnfannedEvents(db, graceS, limit)).map(fanOut.add)),
    ),
    sweep('events of endpoints', 2000, tellOfEndpoints),
    sweep('due deliveries', 1000, async () => (await listDueLanes(db, graceS)).forEach(lanes.wake)),
    sweep('overdue deliveries', 30_000, async () =>
      metrics.outcomes.inc({ outcome: 'expired' }, await endOverdueDeliveries(db, limit)),
    ),
  ]);
}
