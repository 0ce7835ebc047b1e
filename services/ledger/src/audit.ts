import { auditWhenDue, invariants, readLastAudit } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import type { LedgerMetrics } from './metrics.ts';

/** Checks every invariant, if no instance of the ledger has done so for `intervalS`, and names each row that breaks one. */
export async function audit(db: Database, intervalS: number, log: Logger): Promise<void> {
  const breaches = await auditWhenDue(db, intervalS);
  if (!breaches) return;
  for (const breach of breaches) log.fatal(breach, 'the ledger is not right');
  log.info({ breaches: breaches.length }, 'ledger audited');
}

/** Exports what the last audit found and when: the same from every instance, also from one that has audited nothing. */
export async function exportAudit(db: Database, metrics: LedgerMetrics): Promise<void> {
  const last = await readLastAudit(db);
  if (!last) return;
  for (const invariant of Object.keys(invariants)) {
    metrics.breaches.set({ invariant }, last.breaches[invariant] ?? 0);
  }
  metrics.auditedAtS.set(last.finishedAtS);
}
