import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** An event to be fanned out to its receivers: whoever wrote it -> webhook-sender. */
export const fanoutQueue = defineQueue({
  name: 'fanout',
  payload: z.object({ eventId: z.string() }),
  jobId: ({ eventId }) => eventId,
  tries: 3,
});
