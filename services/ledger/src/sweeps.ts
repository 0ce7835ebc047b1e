import type { Database } from '@holdfast/db/client';
import { unsettledAttempts } from '@holdfast/db/sweeps/due';
import { expireDue } from '@holdfast/executions/expire';
import type { EndingHints } from '@holdfast/executions/hints';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweeps, startSweep, sweepGroup } from '@holdfast/kit/sweep';
import type { Producer } from '@holdfast/queues/producer';
import type { PayloadOf } from '@holdfast/queues/queue';
import { settleJobs, type settleQueue } from '@holdfast/queues/settle';
import { audit } from './audit.ts';
import type { LedgerMetrics } from './metrics.ts';
import { reportEnded } from './report.ts';

/** Everything a lost job, or nobody, would leave undone in the ledger. */
export function startSweeps(args: {
  db: Database;
  hints: EndingHints;
  settle: Producer<PayloadOf<typeof settleQueue>>;
  metrics: LedgerMetrics;
  auditIntervalMs: number;
  log: Logger;
}): Sweeps {
  const { db, hints, settle, metrics, log } = args;
  return sweepGroup([
    startSweep({
      name: 'unsettled outcomes',
      intervalMs: 5000,
      log,
      work: async () => settle.addAll(settleJobs(await unsettledAttempts(db, 5))),
    }),
    startSweep({
      name: 'expiry',
      intervalMs: 1000,
      log,
      work: () => expireDue({ db, hints, ended: reportEnded(metrics, log, 'EXPIRED') }),
    }),
    startSweep({
      name: 'audit',
      intervalMs: args.auditIntervalMs,
      log,
      work: () => audit(db, metrics, log),
    }),
  ]);
}
