import { auditWhenDue, invariants, readLastAudit } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweep, startSweep } from '@holdfast/kit/sweep';
import type { LedgerMetrics } from './metrics.ts';

/** The longest delay of a due or requested audit, and of exported results. */
const lookMs = 10_000;

/** Audits run apart from the sweeps, because one of many executions takes minutes. */
export function startAudits(args: {
  db: Database;
  metrics: LedgerMetrics;
  intervalS: number;
  log: Logger;
}): Sweep[] {
  const { db, metrics, intervalS, log } = args;
  const intervalMs = Math.min(lookMs, intervalS * 1000);
  const auditing = startSweep({
    name: 'audit',
    intervalMs,
    hangsAfterMs: Math.max(3_600_000, intervalS * 3000),
    log,
    work: () => audit(db, intervalS, log),
  });
  // `holdfast doctor` may be the first thing that is run on a new system, and warns of a ledger that was never audited.
  void auditing.runNow();
  return [
    auditing,
    startSweep({ name: 'last audit', intervalMs, log, work: () => exportAudit(db, metrics) }),
  ];
}

/** Checks every invariant, unless another instance did so within `intervalS`. */
export async function audit(db: Database, intervalS: number, log: Logger): Promise<void> {
  const breaches = await auditWhenDue(db, intervalS);
  if (!breaches) return;
  for (const breach of breaches) log.fatal(breach, 'ledger invariant broken');
  log.info({ breaches: breaches.length }, 'ledger audited');
}

/** Every instance exports the last audit, even one that has run none. */
export async function exportAudit(db: Database, metrics: LedgerMetrics): Promise<void> {
  const last = await readLastAudit(db);
  if (!last) return;
  for (const invariant of Object.keys(invariants)) {
    metrics.breaches.set({ invariant }, last.breaches[invariant] ?? 0);
  }
  metrics.auditedAtS.set(last.finishedAtS);
}
