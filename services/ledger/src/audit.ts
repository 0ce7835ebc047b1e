import { auditLedger } from '@holdfast/db/audit/audit';
import { invariants } from '@holdfast/db/audit/invariants';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import type { LedgerMetrics } from './metrics.ts';

/** Checks every invariant, names each row that breaks one, and exports how many do. */
export async function audit(db: Database, metrics: LedgerMetrics, log: Logger): Promise<void> {
  const breaches = await auditLedger(db);
  for (const invariant of Object.keys(invariants)) {
    metrics.breaches.set({ invariant }, breaches.filter((breach) => breach.invariant === invariant).length);
  }
  for (const breach of breaches) log.fatal(breach, 'the ledger is not right');
}
