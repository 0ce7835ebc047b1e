import type { Database } from '@holdfast/db/client';
import { completeExecutions, type EndedExecution, failExecutions } from '@holdfast/db/executions/endings';
import { isRefusal } from '@holdfast/db/faults';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import { hintStatus, type OnEnded, type StatusHints } from './hints.ts';

export type Settler = {
  /** -> COMPLETED, the hold settled to the cost, or -> FAILED, the hold released. It changes nothing once ended. */
  settle(outcome: { attemptId: string; ok: boolean }): Promise<void>;
  idle(): Promise<void>;
};

export function openSettler(args: {
  db: Database;
  hints: StatusHints;
  onEnded: { completed: OnEnded; failed: OnEnded };
}): Settler {
  const { db, hints, onEnded } = args;
  const completions = endingBatcher(
    'COMPLETED',
    (ids) => completeExecutions(db, ids),
    hints,
    onEnded.completed,
  );
  const failures = endingBatcher('FAILED', (ids) => failExecutions(db, ids), hints, onEnded.failed);
  return {
    async settle({ attemptId, ok }) {
      const { refusal } = await (ok ? completions : failures).add(attemptId);
      if (refusal) throw refusal;
    },
    async idle() {
      await Promise.all([completions.idle(), failures.idle()]);
    },
  };
}

type End = (attemptIds: string[]) => Promise<EndedExecution[]>;
type Result = { ended: EndedExecution[]; refusal?: Error };

function endingBatcher(
  status: 'COMPLETED' | 'FAILED',
  end: End,
  hints: StatusHints,
  onEnded: OnEnded,
): Batcher<string, { refusal?: Error }> {
  return createBatcher({
    maxSize: 256,
    async run(attemptIds: string[]) {
      const startedAtMs = Date.now();
      const results = await endAll(end, attemptIds);
      const ended = results.flatMap((result) => result.ended);
      onEnded(ended, startedAtMs);
      void hintStatus(hints, status, ended);
      return attemptIds.length === results.length ? results : attemptIds.map(() => ({}));
    },
  });
}

/** One result for all attempts; or one each when the database refuses a corrupt execution, so that others still end. */
async function endAll(end: End, attemptIds: string[]): Promise<Result[]> {
  try {
    return [{ ended: await end(attemptIds) }];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (attemptIds.length === 1) return [{ ended: [], refusal: error }];
    const results: Result[] = [];
    for (const id of attemptIds) results.push(...(await endAll(end, [id])));
    return results;
  }
}
