import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineQueue } from './queue.ts';

/** A lane in which deliveries are due: webhook-sender. See domain/deliveryLane. */
export const deliverQueue = defineQueue({
  name: 'deliver',
  payload: z.object({ lane: z.string(), organizationId: z.string() }),
  jobId: ({ lane }) => createHash('sha256').update(lane).digest('base64url'),
  tries: 3,
});
