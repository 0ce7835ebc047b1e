import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** A running attempt whose provider is to be asked: sweep -> dispatcher. */
export const pollQueue = defineQueue({
  name: 'poll',
  payload: z.object({ attemptId: z.string() }),
  jobId: ({ attemptId }) => attemptId,
  tries: 3,
});
