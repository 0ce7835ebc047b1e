import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** An execution to be started and run: gateway -> dispatcher. */
export const dispatchQueue = defineQueue({
  name: 'dispatch',
  payload: z.object({ executionId: z.string() }),
  jobId: ({ executionId }) => executionId,
  tries: 3,
});
