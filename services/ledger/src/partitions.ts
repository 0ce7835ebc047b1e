import type { Database } from '@holdfast/db/client';
import {
  clearOldMonths,
  type DropResult,
  dropDeliveries,
  dropPartitions,
  makePartitions,
  readHorizon,
} from '@holdfast/db/partitions';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweep, startSweep, type TakeTurn } from '@holdfast/kit/sweep';
import type { LedgerMetrics } from './metrics.ts';

export const partitionsIntervalMs = 3_600_000;
const exportIntervalMs = 30_000;

/** Days; null: forever. */
export type Retention = { executions: number | null; deliveries: number };

/** At the start, because the machine may have been off for long, then every hour. */
export function startUpkeep(args: {
  db: Database;
  metrics: LedgerMetrics;
  retentionDays: Retention;
  isTurn: TakeTurn;
  log: Logger;
}): Sweep[] {
  const { db, metrics, retentionDays, isTurn, log } = args;
  let isStopping = false;
  const work = () => keepPartitions({ db, retentionDays, isStopped: () => isStopping, log });
  const upkeep = startSweep({ name: 'partitions', intervalMs: partitionsIntervalMs, log, isTurn, work });
  const horizon = startSweep({
    name: 'partitions there',
    intervalMs: exportIntervalMs,
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

/** Retries partitions it can't drop at the next run. `isStopped` ends it between two pages. */
export async function keepPartitions(args: {
  db: Database;
  retentionDays: Retention;
  isStopped(): boolean;
  log: Logger;
}): Promise<void> {
  const { db, retentionDays, isStopped, log } = args;
  try {
    const made = await makePartitions(db.pool);
    if (made.length > 0) log.info({ made }, 'partitions created');
  } finally {
    await warnWhenShort(db, log);
  }
  if (retentionDays.executions !== null) {
    await clearOldMonths(db.pool, retentionDays.executions, isStopped);
    if (isStopped()) return;
    report(await dropPartitions(db.pool, retentionDays.executions), retentionDays.executions, log);
  }
  report(await dropDeliveries(db.pool, retentionDays.deliveries), retentionDays.deliveries, log);
}

function report({ dropped, kept }: DropResult, retentionDays: number, log: Logger): void {
  if (dropped.length > 0) log.info({ dropped, retentionDays }, 'old partitions dropped');
  for (const { partition, reason } of kept) log.warn({ partition, reason }, 'an old partition is kept');
}

/** Logged here and exported as a gauge, not in /healthz: a restart would not fix it. */
async function warnWhenShort(db: Database, log: Logger): Promise<void> {
  const { monthsAhead } = await readHorizon(db.pool);
  if (monthsAhead < 1)
    log.error(
      { monthsAhead },
      'the next month has no partitions: creating executions will fail when it starts',
    );
}

/** Every instance exports it, even one that has created no partition. */
export async function exportHorizon(db: Database, metrics: LedgerMetrics): Promise<void> {
  const { monthsAhead, oldestS } = await readHorizon(db.pool);
  metrics.partitionsAhead.set(monthsAhead);
  if (oldestS !== null) metrics.oldestPartitionS.set(oldestS);
}
