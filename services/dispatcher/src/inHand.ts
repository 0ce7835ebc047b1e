import { extendLeases, releaseLeases } from '@holdfast/db/attempts/lease';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import { startSweep } from '@holdfast/kit/sweep';
import { heartbeatMs, leaseS } from './lease.ts';

/** Why a run in hand was let go of. */
export type LetGo = 'ended elsewhere' | 'shutting down';

/** The runs this process is working on, whose leases it keeps. */
export type InHand = {
  /** Keeps the attempt's lease while `work` goes on; `signal` aborts when the run is to be let go of. */
  hold<Result>(attemptId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Lets what is in hand end within `graceMs`, then hands the rest back to the other dispatchers. */
  handBack(graceMs: number): Promise<void>;
};

export function createInHand(db: Database, log: Logger): InHand {
  const runs = new Map<string, AbortController>();
  const heartbeat = startSweep({ name: 'heartbeat', intervalMs: heartbeatMs, log, work: extendAll });
  let emptied: (() => void) | null = null;

  async function extendAll(): Promise<void> {
    const ids = [...runs.keys()];
    if (ids.length === 0) return;
    const kept = new Set(await extendLeases(db, ids, leaseS));
    for (const id of ids) if (!kept.has(id)) letGo(id, 'ended elsewhere');
  }

  function letGo(id: string, reason: LetGo): void {
    runs.get(id)?.abort(reason);
  }

  return {
    async hold(attemptId, work) {
      const controller = new AbortController();
      runs.set(attemptId, controller);
      try {
        return await work(controller.signal);
      } finally {
        if (runs.get(attemptId) === controller) runs.delete(attemptId);
        if (runs.size === 0) emptied?.();
      }
    },
    async handBack(graceMs) {
      if (runs.size > 0) {
        await new Promise<void>((resolve) => {
          emptied = resolve;
          setTimeout(resolve, graceMs);
        });
      }
      await heartbeat.stop();
      const left = [...runs.keys()];
      for (const id of left) letGo(id, 'shutting down');
      if (left.length > 0) await releaseLeases(db, left);
    },
  };
}
