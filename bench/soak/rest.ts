import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@holdfast/db/client';
import { type Backlog, readBacklog, sumOf } from './backlog.ts';

const everyMs = 1000;

/** Waits until the backlog is empty; returns what is left after `withinMs`, else null. */
export async function untilAtRest(db: Database, withinMs: number): Promise<Backlog | null> {
  const giveUpAtMs = performance.now() + withinMs;
  for (let last: Backlog | null = null; ; await delay(everyMs)) {
    last = await readBacklog(db).catch(() => last);
    if (last !== null && sumOf(last) === 0) return null;
    if (performance.now() > giveUpAtMs) return last;
  }
}
