import { z } from 'zod';
import { defineQueue } from './queue.ts';

/**
 * Further tries whose time has come, as of each: attempt, execution, organization, model, rank of the priority, and where
 * it is to be sent. Sweep -> dispatcher.
 */
const retry = z.tuple([z.string(), z.string(), z.string(), z.string(), z.number(), z.string(), z.string()]);
export type Retry = z.infer<typeof retry>;

export const retryQueue = defineQueue({
  name: 'retry',
  payload: z.object({ retry }),
  jobId: ({ retry: [attemptId] }) => attemptId,
  tries: 3,
});
