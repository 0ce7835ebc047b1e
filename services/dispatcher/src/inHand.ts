import { extendLeases, releaseLeases } from '@holdfast/db/attempts/lease';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import { createMemoryBudget, type MemoryBudget } from '@holdfast/kit/memoryBudget';
import { startSweep } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';
import { heartbeatMs, leaseS } from './lease.ts';

/** Why a run in hand was let go of. */
export type LetGo = 'ended elsewhere' | 'lease lost' | 'shutting down';

/** Of large answers and inputs of the runs in hand: what comes beside it waits, at the sockets of providers. */
const memoryBytes = 16 * 1024 * 1024;

/** The runs this process is working on, whose leases it keeps. */
export type InHand = {
  /** Keeps the attempt's lease while `work` goes on; `signal` aborts when the run is to be let go of. */
  hold<Result>(attemptId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  has(attemptId: string): boolean;
  /** Counts what `work` holds in memory against the budget of all runs. */
  holdMemory: MemoryBudget['during'];
  /** Lets what is in hand end within `graceMs`, then hands the rest back to the other dispatchers. */
  handBack(graceMs: number): Promise<void>;
};

export function createInHand(db: Database, log: Logger): InHand {
  // A submit that has no answer yet, and the callback that came before it, are two of the same attempt.
  const runs = new Map<string, Set<AbortController>>();
  const heartbeat = startSweep({ name: 'heartbeat', intervalMs: heartbeatMs, log, work: extendAll });
  const memory = createMemoryBudget(memoryBytes);
  let onEmpty: (() => void) | null = null;
  let extendedAtMs = performance.now();

  async function extendAll(): Promise<void> {
    const nowMs = performance.now();
    // This process was halted, or the database away, for so long that others may have taken its runs over.
    if (nowMs - extendedAtMs > leaseS * 1000) for (const id of runs.keys()) letGo(id, 'lease lost');
    const ids = [...runs].filter(([, held]) => [...held].some(isHeld)).map(([id]) => id);
    const kept = new Set(ids.length > 0 ? await extendLeases(db, ids, leaseS) : []);
    extendedAtMs = nowMs;
    for (const id of ids) if (!kept.has(id)) letGo(id, 'ended elsewhere');
  }

  async function emptied(): Promise<void> {
    if (runs.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
  }

  function letGo(id: string, reason: LetGo): void {
    for (const controller of runs.get(id) ?? []) controller.abort(reason);
  }

  return {
    async hold(attemptId, work) {
      const controller = new AbortController();
      const held = runs.get(attemptId) ?? new Set();
      runs.set(attemptId, held.add(controller));
      try {
        return await memory.during(() => work(controller.signal));
      } finally {
        held.delete(controller);
        if (held.size === 0) runs.delete(attemptId);
        if (runs.size === 0) onEmpty?.();
      }
    },
    holdMemory: memory.during,
    has: (attemptId) => runs.has(attemptId),
    async handBack(graceMs) {
      await within(graceMs, 'what is in hand', emptied()).catch(() => {});
      await heartbeat.stop();
      const left = [...runs.keys()];
      for (const id of left) letGo(id, 'shutting down');
      if (left.length > 0) await releaseLeases(db, left);
    },
  };
}

function isHeld({ signal }: AbortController): boolean {
  return !signal.aborted;
}
