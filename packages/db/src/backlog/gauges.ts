import { gauge, type Registry } from '@holdfast/kit/metrics';
import type { Reading } from '@holdfast/kit/readings';
import type { Database } from '../client.ts';
import { readOpenHolds } from './openHolds.ts';
import { type BacklogKind, readBacklogOf } from './read.ts';

/** More than that is many. */
const countedAtMost = 100_000;

/** What waits in the database for a service: how much, and since when. */
export function backlogGauges(registry: Registry, db: Database, kinds: readonly BacklogKind[]): Reading {
  const waiting = gauge(
    registry,
    'backlog',
    `What waits in the database for somebody to do it; no more than ${countedAtMost} are looked at`,
    ['kind'],
  );
  const oldest = gauge(
    registry,
    'backlog_oldest_age_seconds',
    'Since when the first of what waits in the database waits; 0 when nothing does',
    ['kind'],
  );
  return {
    async read() {
      for (const [kind, found] of Object.entries(await readBacklogOf(db, kinds, countedAtMost))) {
        waiting.set({ kind }, found.count);
        oldest.set({ kind }, found.oldestS ?? 0);
      }
    },
    forget() {
      waiting.reset();
      oldest.reset();
    },
  };
}

/** Executions that have not ended: each holds money. */
export function holdGauges(registry: Registry, db: Database): Reading {
  const open = gauge(
    registry,
    'holds_open',
    `Holds that are not resolved; no more than ${countedAtMost} are counted`,
  );
  const oldest = gauge(
    registry,
    'holds_oldest_age_seconds',
    'Age of the unresolved hold that expires first; 0 when there is none',
  );
  const all = [open, oldest];
  return {
    async read() {
      const { count, oldestS } = await readOpenHolds(db, countedAtMost);
      open.set(count);
      oldest.set(oldestS);
    },
    // Without labels a reset would show zero, as if all were well.
    forget: () => all.forEach((one) => one.set(Number.NaN)),
  };
}
