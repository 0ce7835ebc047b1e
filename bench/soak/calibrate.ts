import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@holdfast/db/client';
import { readBacklog, sumOf } from './backlog.ts';
import type { SoakLoad } from './load.ts';

const warmUpS = 8;
const burstS = 10;
/** A tail of long executions says nothing about the rate. */
const tailShare = 0.03;
const longestS = 180;

/** Executions per second from create to delivery, with ramp-up and drain. */
export async function topRate(load: SoakLoad, db: Database): Promise<number> {
  await load.flatOut(warmUpS);
  await untilBelow(db, 50);
  const before = load.accepted.size();
  const startMs = performance.now();
  await load.flatOut(burstS);
  const accepted = load.accepted.size() - before;
  await untilBelow(db, Math.max(50, accepted * tailShare));
  return accepted / ((performance.now() - startMs) / 1000);
}

async function untilBelow(db: Database, count: number): Promise<void> {
  const giveUpAtMs = performance.now() + longestS * 1000;
  while (sumOf(await readBacklog(db)) > count) {
    if (performance.now() > giveUpAtMs) throw new Error('the calibration does not come to rest');
    await delay(100);
  }
}
