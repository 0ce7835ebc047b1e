import { z } from 'zod';
import { chunkId, hintChunks } from './hintChunks.ts';
import { defineQueue } from './queue.ts';

/** Few enough that several dispatchers share what one statement created. */
const mostPerJob = 32;

/** Executions to be started and run: gateway -> dispatcher. */
export const dispatchQueue = defineQueue({
  name: 'dispatch',
  payload: z.object({ executionIds: z.array(z.string()) }),
  jobId: ({ executionIds }) => chunkId(executionIds),
  tries: 3,
});

/** The jobs for executions that were created together. */
export function dispatchJobs(executionIds: string[]): { executionIds: string[] }[] {
  return hintChunks(executionIds, mostPerJob).map((chunk) => ({ executionIds: chunk }));
}
