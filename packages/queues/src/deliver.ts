import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** A delivery that is due: webhook-sender. */
export const deliverQueue = defineQueue({
  name: 'deliver',
  payload: z.object({ deliveryId: z.string() }),
  jobId: ({ deliveryId }) => deliveryId,
  tries: 3,
});
