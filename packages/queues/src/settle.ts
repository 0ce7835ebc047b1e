import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** An attempt whose outcome is recorded: dispatcher -> ledger. */
export const settleQueue = defineQueue({
  name: 'settle',
  payload: z.object({ attemptId: z.string(), ok: z.boolean() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});
