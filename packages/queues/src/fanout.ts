import { z } from 'zod';
import { chunkId, hintChunks } from './hintChunks.ts';
import { defineQueue } from './queue.ts';

/** Events to be fanned out to their receivers: whoever wrote them -> webhook-sender. */
export const fanoutQueue = defineQueue({
  name: 'fanout',
  payload: z.object({ eventIds: z.array(z.string()) }),
  jobId: ({ eventIds }) => chunkId(eventIds),
  tries: 3,
});

/** The jobs for these events: few, for many of them come at once. */
export function fanoutJobs(eventIds: string[]): { eventIds: string[] }[] {
  return hintChunks(eventIds).map((chunk) => ({ eventIds: chunk }));
}
