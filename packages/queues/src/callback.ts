import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** A provider callback waiting in the inbox: gateway -> dispatcher. */
export const callbackQueue = defineQueue({
  name: 'callback',
  payload: z.object({ callbackId: z.string() }),
  jobId: ({ callbackId }) => callbackId,
  tries: 3,
});
