import { type GaugeReader, gauge, type Registry } from '@holdfast/kit/metrics';
import { type BacklogKind, readBacklog, readOpenHolds } from './backlog.ts';
import type { Database } from './client.ts';

const maxCounted = 100_000;

export function backlogGauges(registry: Registry, db: Database, kinds: readonly BacklogKind[]): GaugeReader {
  const waiting = gauge(
    registry,
    'backlog',
    `Pending work in the database by kind; at most ${maxCounted} of a kind are counted`,
    ['kind'],
  );
  const oldest = gauge(
    registry,
    'backlog_oldest_age_seconds',
    'Age of the oldest pending work of a kind; 0 when there is none',
    ['kind'],
  );
  return {
    async read() {
      for (const [kind, found] of Object.entries(await readBacklog(db, { of: kinds, atMost: maxCounted }))) {
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

export function holdGauges(registry: Registry, db: Database): GaugeReader {
  const open = gauge(
    registry,
    'holds_open',
    `Holds that are not resolved; no more than ${maxCounted} are counted`,
  );
  const oldest = gauge(
    registry,
    'holds_oldest_age_seconds',
    'Age of the unresolved hold that expires first; 0 when there is none',
  );
  const all = [open, oldest];
  return {
    async read() {
      const { count, oldestS } = await readOpenHolds(db, maxCounted);
      open.set(count);
      oldest.set(oldestS);
    },
    // A reset gauge without labels would show 0.
    forget: () => all.forEach((one) => one.set(Number.NaN)),
  };
}
