import type { Database } from '@holdfast/db/client';
import { completeExecutions, type EndedExecution, failExecutions } from '@holdfast/db/executions/endings';
import { isLockTimeout, isRejection } from '@holdfast/db/faults';
import { settlementOwners } from '@holdfast/db/locks';
import { createIsolatedBatcher, type Owner } from '@holdfast/kit/isolatedBatcher';
import { hintStatus, type OnBlocked, type OnEnded, type StatusHints } from './hints.ts';

export type Settler = {
  /**
   * -> COMPLETED, the hold settled to the cost, or -> FAILED, the hold released. It changes nothing once ended, and nothing yet
   * while the balance is locked by another session: a sweep settles it later.
   */
  settle(outcome: { attemptId: string; ok: boolean }): Promise<void>;
  idle(): Promise<void>;
};

export function openSettler(args: {
  db: Database;
  hints: StatusHints;
  onEnded: { completed: OnEnded; failed: OnEnded };
  onBlocked?: OnBlocked;
}): Settler {
  const { db, hints, onEnded } = args;
  const isolation = {
    isLockTimeout,
    maxBlockedMs: 0,
    ...(args.onBlocked && { onBlocked: args.onBlocked }),
    async ownersOf(attemptIds: string[]): Promise<Owner[]> {
      const owners = await settlementOwners(db, attemptIds);
      return attemptIds.map((id) => {
        const { organizationId = '', isLocked = false } = owners.get(id) ?? {};
        return { owner: organizationId, isBlocked: isLocked };
      });
    },
  };
  const completions = createIsolatedBatcher({
    ...isolation,
    ...endings('COMPLETED', (ids) => completeExecutions(db, ids), hints, onEnded.completed),
  });
  const failures = createIsolatedBatcher({
    ...isolation,
    ...endings('FAILED', (ids) => failExecutions(db, ids), hints, onEnded.failed),
  });
  return {
    async settle({ attemptId, ok }) {
      const result = await (ok ? completions : failures).add(attemptId).catch((error: unknown): Settled => {
        if (!isLockTimeout(error)) throw error;
        return {};
      });
      if (result.rejection) throw result.rejection;
    },
    async idle() {
      await Promise.all([completions.idle(), failures.idle()]);
    },
  };
}

type End = (attemptIds: string[]) => Promise<EndedExecution[]>;
type Settled = { rejection?: Error };
type Result = Settled & { ended: EndedExecution[] };

function endings(status: 'COMPLETED' | 'FAILED', end: End, hints: StatusHints, onEnded: OnEnded) {
  return {
    maxSize: 256,
    async run(attemptIds: string[]): Promise<Settled[]> {
      const startedAtMs = Date.now();
      const results = await endAll(end, attemptIds);
      const ended = results.flatMap((result) => result.ended);
      onEnded(ended, startedAtMs);
      void hintStatus(hints, status, ended);
      return attemptIds.length === results.length ? results : attemptIds.map(() => ({}));
    },
  };
}

/** One result for all attempts; or one each when the database refuses a corrupt execution, so that others still end. */
async function endAll(end: End, attemptIds: string[]): Promise<Result[]> {
  try {
    return [{ ended: await end(attemptIds) }];
  } catch (error) {
    if (!isRejection(error)) throw error;
    if (attemptIds.length === 1) return [{ ended: [], rejection: error }];
    const results: Result[] = [];
    for (const id of attemptIds) results.push(...(await endAll(end, [id])));
    return results;
  }
}
