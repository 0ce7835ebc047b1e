import { extendLeases, reclaimLeases, releaseLeases } from '@holdfast/db/attempts/lease';
import { endedAttempts } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import { createMemoryBudget, type MemoryBudget } from '@holdfast/kit/memoryBudget';
import { startSweep } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';

/** After that any dispatcher takes the attempt over. */
export const leaseS = 20;
const heartbeatMs = 5000;

export type AbortReason = 'ended elsewhere' | 'lease lost' | 'shutting down';

/** For large responses and inputs together; the rest waits at the providers' sockets. */
const memoryBytes = 16 * 1024 * 1024;

export type Leases = {
  /** Keeps the lease during `work`; `signal` aborts with an AbortReason. */
  hold<Result>(attemptId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  has(attemptId: string): boolean;
  /** Ends the work on an attempt whose execution has ended, at once instead of at the next heartbeat. */
  end(attemptId: string): void;
  /** `work` counts against the memory budget of all attempts. */
  holdMemory: MemoryBudget['during'];
  /** Lets work finish within `graceMs`, then releases the remaining leases to the other dispatchers. */
  handBack(graceMs: number): Promise<void>;
};

/** `sinceMs`: when its attempt was leased, as of `performance.now`. */
type Lease = { controller: AbortController; sinceMs: number };

export function createLeases(db: Database, log: Logger): Leases {
  // Several for one attempt: a submit without a response yet, and the callback that came before it.
  const held = new Map<string, Lease[]>();
  const heartbeat = startSweep({ name: 'heartbeat', intervalMs: heartbeatMs, log, work: extendAll });
  const memory = createMemoryBudget(memoryBytes);
  let onEmpty: (() => void) | null = null;
  let extendedAtMs = performance.now();

  async function extendAll(): Promise<void> {
    const nowMs = performance.now();
    const ids = [...held].filter(([, leases]) => leases.some(isActive)).map(([id]) => id);
    // Leases run out during a halt, or while the database is away. Attempts that were claimed since have newer ones.
    const lost = ids.filter((id) => nowMs - leasedAtMs(id) > leaseS * 1000);
    const leased = ids.filter((id) => !lost.includes(id));
    const reclaimed = new Set(lost.length > 0 ? await reclaimLeases(db, lost, leaseS) : []);
    for (const id of lost) if (!reclaimed.has(id)) abort(id, 'lease lost');
    const kept = new Set(leased.length > 0 ? await extendLeases(db, leased, leaseS) : []);
    extendedAtMs = nowMs;
    const missed = leased.filter((id) => !kept.has(id));
    // A former primary does not know a new attempt, whose run must not be cancelled.
    const ended = missed.length > 0 ? await endedAttempts(db, missed) : [];
    for (const id of ended) abort(id, 'ended elsewhere');
  }

  const leasesOf = (id: string) => held.get(id) ?? [];
  const leasedAtMs = (id: string) => Math.max(extendedAtMs, ...leasesOf(id).map(({ sinceMs }) => sinceMs));

  async function emptied(): Promise<void> {
    if (held.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
  }

  function abort(id: string, reason: AbortReason): void {
    for (const { controller } of leasesOf(id)) controller.abort(reason);
  }

  return {
    async hold(attemptId, work) {
      const lease: Lease = { controller: new AbortController(), sinceMs: performance.now() };
      held.set(attemptId, [...leasesOf(attemptId), lease]);
      try {
        return await memory.during(() => work(lease.controller.signal));
      } finally {
        const others = leasesOf(attemptId).filter((other) => other !== lease);
        if (others.length > 0) held.set(attemptId, others);
        else held.delete(attemptId);
        if (held.size === 0) onEmpty?.();
      }
    },
    holdMemory: memory.during,
    has: (attemptId) => held.has(attemptId),
    end: (attemptId) => abort(attemptId, 'ended elsewhere'),
    async handBack(graceMs) {
      await within(graceMs, 'finishing the attempts', emptied()).catch(() => {});
      await heartbeat.stop();
      const left = [...held.keys()];
      for (const id of left) abort(id, 'shutting down');
      if (left.length > 0) await releaseLeases(db, left);
    },
  };
}

function isActive({ controller }: Lease): boolean {
  return !controller.signal.aborted;
}
