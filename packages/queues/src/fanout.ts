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

/** The jobs for these events: few, for many of them come at once. None for an event that nobody receives (null). */
export function fanoutJobs(eventIds: (string | null)[]): { eventIds: string[] }[] {
  return hintChunks(eventIds.filter((id) => id !== null)).map((chunk) => ({ eventIds: chunk }));
}
