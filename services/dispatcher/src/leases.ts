import { extendLeases, releaseLeases } from '@holdfast/db/attempts/lease';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import { createMemoryBudget, type MemoryBudget } from '@holdfast/kit/memoryBudget';
import { startSweep } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';

/** When it has run out, any dispatcher takes the attempt over. */
export const leaseS = 20;
const heartbeatMs = 5000;

/** Why work on an attempt is aborted. */
export type AbortReason = 'ended elsewhere' | 'lease lost' | 'shutting down';

/** For large responses and inputs of all attempts together; the rest waits at the sockets of the providers. */
const memoryBytes = 16 * 1024 * 1024;

/** The attempts that this process works on. */
export type Leases = {
  /** Keeps the attempt's lease during `work`; `signal` aborts with an AbortReason when the work must stop. */
  hold<Result>(attemptId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  has(attemptId: string): boolean;
  /** Counts what `work` holds in memory against the budget of all attempts. */
  holdMemory: MemoryBudget['during'];
  /** Lets work finish within `graceMs`, then releases the remaining leases to the other dispatchers. */
  handBack(graceMs: number): Promise<void>;
};

export function createLeases(db: Database, log: Logger): Leases {
  // Several for one attempt: a submit without a response yet, and the callback that came before it.
  const held = new Map<string, Set<AbortController>>();
  const heartbeat = startSweep({ name: 'heartbeat', intervalMs: heartbeatMs, log, work: extendAll });
  const memory = createMemoryBudget(memoryBytes);
  let onEmpty: (() => void) | null = null;
  let extendedAtMs = performance.now();

  async function extendAll(): Promise<void> {
    const nowMs = performance.now();
    // The process was halted, or the database unavailable, for so long that other dispatchers may have the attempts.
    if (nowMs - extendedAtMs > leaseS * 1000) for (const id of held.keys()) abort(id, 'lease lost');
    const ids = [...held].filter(([, works]) => [...works].some(isActive)).map(([id]) => id);
    const kept = new Set(ids.length > 0 ? await extendLeases(db, ids, leaseS) : []);
    extendedAtMs = nowMs;
    for (const id of ids) if (!kept.has(id)) abort(id, 'ended elsewhere');
  }

  async function emptied(): Promise<void> {
    if (held.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
  }

  function abort(id: string, reason: AbortReason): void {
    for (const controller of held.get(id) ?? []) controller.abort(reason);
  }

  return {
    async hold(attemptId, work) {
      const controller = new AbortController();
      const works = held.get(attemptId) ?? new Set();
      held.set(attemptId, works.add(controller));
      try {
        return await memory.during(() => work(controller.signal));
      } finally {
        works.delete(controller);
        if (works.size === 0) held.delete(attemptId);
        if (held.size === 0) onEmpty?.();
      }
    },
    holdMemory: memory.during,
    has: (attemptId) => held.has(attemptId),
    async handBack(graceMs) {
      await within(graceMs, 'finishing the attempts', emptied()).catch(() => {});
      await heartbeat.stop();
      const left = [...held.keys()];
      for (const id of left) abort(id, 'shutting down');
      if (left.length > 0) await releaseLeases(db, left);
    },
  };
}

function isActive({ signal }: AbortController): boolean {
  return !signal.aborted;
}
