import { auditWhenDue, invariants, readLastAudit } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import type { LedgerMetrics } from './metrics.ts';

/** Checks every invariant, unless another instance did so within `intervalS`. */
export async function audit(db: Database, intervalS: number, log: Logger): Promise<void> {
  const breaches = await auditWhenDue(db, intervalS);
  if (!breaches) return;
  for (const breach of breaches) log.fatal(breach, 'the ledger is not right');
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
