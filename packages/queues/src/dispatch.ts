import { z } from 'zod';
import { chunkId, hintChunks } from './hintChunks.ts';
import { defineQueue } from './queue.ts';

/** What one statement created is one job: a hundred thousand of them must pass through within a second. */
const mostPerJob = 256;

/** An execution that waits to be started: its id, organization, model, and the rank of its priority. */
const queued = z.tuple([z.string(), z.string(), z.string(), z.number()]);
export type Queued = z.infer<typeof queued>;

/**
 * Executions to be started and run: gateway -> dispatcher. Services of the version before say and read `executionIds`
 * alone; both are said until no such service runs any more, see "Without downtime" in CONTRIBUTING.md.
 */
export const dispatchQueue = defineQueue({
  name: 'dispatch',
  payload: z.object({
    executions: z.array(queued).default([]),
    executionIds: z.array(z.string()).default([]),
  }),
  jobId: ({ executions }) => chunkId(executions.map(([id]) => id)),
  tries: 3,
});

/** The jobs for executions that were created together. */
export function dispatchJobs(executions: Queued[]): { executions: Queued[]; executionIds: string[] }[] {
  return hintChunks(executions, mostPerJob).map((chunk) => ({
    executions: chunk,
    executionIds: chunk.map(([id]) => id),
  }));
}
