import type { Database } from '@holdfast/db/client';
import { dropOldProviderHours, sumProviderCosts } from '@holdfast/db/providerCosts';
import { type UnsettledAttempt, unsettledAttempts } from '@holdfast/db/sweeps';
import { type BatchTurns, turnBatches } from '@holdfast/executions/batches';
import type { EndingHints } from '@holdfast/executions/hints';
import { expireDue } from '@holdfast/executions/lifecycle';
import type { Activity } from '@holdfast/kit/activity';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweeps, startSweep, sweepGroup, type TurnOf } from '@holdfast/kit/sweep';
import { type SettleJob, settleJobs } from '@holdfast/queues/definitions';
import { startAudits } from './audit.ts';
import type { LedgerMetrics } from './metrics.ts';
import { partitionsIntervalMs, type Retention, startUpkeep } from './partitions.ts';
import type { Report } from './report.ts';

/** Handles due work that has no job or lost it. It uses no queue, so it also works without Redis. */
export function startSweeps(args: {
  db: Database;
  hints: EndingHints;
  settle(settling: SettleJob): Promise<unknown>;
  batches: Pick<BatchTurns, 'dispatch' | 'maxOpen'>;
  metrics: LedgerMetrics;
  report: Report;
  auditIntervalS: number;
  retentionDays: Retention;
  turnOf: TurnOf;
  activity: Activity;
  log: Logger;
}): Sweeps {
  const { db, hints, settle, metrics, report, auditIntervalS, retentionDays, turnOf, activity, log } = args;
  const shared = (name: string, intervalMs: number, work: () => Promise<unknown>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs), activity });
  /** Organizations whose executions the last expiry left out. */
  const locked = new Set<string>();
  return sweepGroup([
    shared('unsettled outcomes', 5000, () => settleUnsettled(db, settle)),
    shared('provider costs', 5000, () => sumAllCosts(db)),
    shared('old hours of provider costs', 3_600_000, () => dropOldProviderHours(db)),
    shared('expiry', 1000, () => expireDue({ db, hints, onEnded: report('EXPIRED'), locked })),
    shared('batches', 250, () =>
      turnBatches({ db, hints, log, onCancelled: report('CANCELLED'), ...args.batches }),
    ),
    ...startAudits({ db, metrics, intervalS: auditIntervalS, log }),
    ...startUpkeep({ db, metrics, retentionDays, isTurn: turnOf('partitions', partitionsIntervalMs), log }),
  ]);
}

async function sumAllCosts(db: Database): Promise<void> {
  while ((await sumProviderCosts(db)) > 0);
}

/** To the last one: those of an organization whose balance is locked stay unsettled, and must not hide the others. */
async function settleUnsettled(
  db: Database,
  settle: (settling: SettleJob) => Promise<unknown>,
): Promise<void> {
  for (let after: UnsettledAttempt | null = null; ; ) {
    const attempts: UnsettledAttempt[] = await unsettledAttempts(db, 5, after);
    after = attempts.at(-1) ?? null;
    if (after === null) return;
    await Promise.all(settleJobs(attempts).map(settle));
  }
}
