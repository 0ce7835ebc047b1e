import type { Database } from '@holdfast/db/client';
import { unsettledAttempts } from '@holdfast/db/sweeps';
import type { EndingHints } from '@holdfast/executions/hints';
import { expireDue } from '@holdfast/executions/lifecycle';
import type { Activity } from '@holdfast/kit/activity';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweep, type Sweeps, startSweep, sweepGroup, type TakeTurn } from '@holdfast/kit/sweep';
import { type SettleJob, settleJobs } from '@holdfast/queues/definitions';
import { audit, exportAudit } from './audit.ts';
import type { LedgerMetrics } from './metrics.ts';
import { exportHorizon, keepPartitions, type Retention } from './partitions.ts';
import type { Report } from './report.ts';

/** The longest delay of a due audit and of exported results. */
const auditLookMs = 30_000;
const hourMs = 3_600_000;

/** Handles due work that has no job or lost it. It uses no queue, so it also works without Redis. */
export function startSweeps(args: {
  db: Database;
  hints: EndingHints;
  settle(settling: SettleJob): Promise<unknown>;
  metrics: LedgerMetrics;
  report: Report;
  auditIntervalS: number;
  retentionDays: Retention;
  turnOf(sweep: string, intervalMs: number): TakeTurn;
  activity: Pick<Activity, 'isActive'>;
  log: Logger;
}): Sweeps {
  const { db, hints, settle, metrics, report, auditIntervalS, retentionDays, turnOf, activity, log } = args;
  const shared = (name: string, intervalMs: number, work: () => Promise<unknown>) => {
    const isTurn = turnOf(name, intervalMs);
    return startSweep({
      name,
      intervalMs,
      log,
      work,
      isTurn: async () => (await activity.isActive()) && (await isTurn()),
    });
  };
  return sweepGroup([
    shared('unsettled outcomes', 5000, async () =>
      Promise.all(settleJobs(await unsettledAttempts(db, 5)).map(settle)),
    ),
    shared('expiry', 1000, () => expireDue({ db, hints, onEnded: report('EXPIRED') })),
    ...startAudits({ db, metrics, intervalS: auditIntervalS, log }),
    ...startUpkeep({ db, metrics, retentionDays, isTurn: turnOf('partitions', hourMs), log }),
  ]);
}

/** Audits run apart from the sweeps, because one of many executions takes minutes. */
function startAudits(args: {
  db: Database;
  metrics: LedgerMetrics;
  intervalS: number;
  log: Logger;
}): Sweep[] {
  const { db, metrics, intervalS, log } = args;
  const intervalMs = Math.min(auditLookMs, intervalS * 1000);
  return [
    startSweep({
      name: 'audit',
      intervalMs,
      hangsAfterMs: Math.max(3_600_000, intervalS * 3000),
      log,
      work: () => audit(db, intervalS, log),
    }),
    startSweep({ name: 'last audit', intervalMs, log, work: () => exportAudit(db, metrics) }),
  ];
}

/** At the start, because the machine may have been off for long, then every hour. */
function startUpkeep(args: {
  db: Database;
  metrics: LedgerMetrics;
  retentionDays: Retention;
  isTurn: TakeTurn;
  log: Logger;
}): Sweep[] {
  const { db, metrics, retentionDays, isTurn, log } = args;
  let isStopping = false;
  const work = () => keepPartitions({ db, retentionDays, isStopped: () => isStopping, log });
  const upkeep = startSweep({ name: 'partitions', intervalMs: hourMs, log, isTurn, work });
  const horizon = startSweep({
    name: 'partitions there',
    intervalMs: auditLookMs,
    log,
    work: () => exportHorizon(db, metrics),
  });
  void upkeep.runNow().then(horizon.runNow);
  async function stop(): Promise<void> {
    isStopping = true;
    await upkeep.stop();
  }
  return [{ ...upkeep, stop }, horizon];
}
