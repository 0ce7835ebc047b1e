import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** A started attempt whose dispatcher is gone: sweep -> dispatcher. */
export const recoverQueue = defineQueue({
  name: 'recover',
  payload: z.object({ attemptId: z.string() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});
