import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** A cancelled or expired execution whose provider is to be told to stop: gateway, ledger -> dispatcher. */
export const abortQueue = defineQueue({
  name: 'abort',
  payload: z.object({ executionId: z.string() }),
  jobId: ({ executionId }) => executionId,
  tries: 3,
});
