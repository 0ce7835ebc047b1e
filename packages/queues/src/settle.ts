import { z } from 'zod';
import { chunkId, hintChunks } from './hintChunks.ts';
import { defineQueue, type PayloadOf } from './queue.ts';

/** Attempts whose outcomes, all successes or none, are recorded: dispatcher -> ledger. */
export const settleQueue = defineQueue({
  name: 'settle',
  payload: z.object({ attemptIds: z.array(z.string()), ok: z.boolean() }),
  jobId: ({ attemptIds }) => chunkId(attemptIds),
  tries: 3,
});
export type Settling = PayloadOf<typeof settleQueue>;

/** The jobs for these attempts: few, for many of them come at once. */
export function settleJobs(attempts: { attemptId: string; ok: boolean }[]): Settling[] {
  return [true, false].flatMap((ok) => {
    const ids = attempts.filter((attempt) => attempt.ok === ok).map(({ attemptId }) => attemptId);
    return hintChunks(ids).map((attemptIds) => ({ attemptIds, ok }));
  });
}
