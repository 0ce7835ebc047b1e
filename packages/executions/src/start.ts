import type { Database } from '@holdfast/db/client';
import { type StartedExecution, startExecutions } from '@holdfast/db/executions/start';
import { createBatcher } from '@holdfast/kit/batcher';
import { fanoutJobs } from '@holdfast/queues/definitions';
import type { EndingHints } from './hints.ts';

export type Starter = {
  /**
   * PENDING -> PROCESSING, with `execution.started` and a leased attempt; null when another has it, or it has ended.
   */
  start(executionId: string, at: { connection: string; target: string }): Promise<StartedExecution | null>;
  idle(): Promise<void>;
};

type Start = Parameters<typeof startExecutions>[1][number];

/** Concurrent starts of one process share a statement and a commit. */
export function openStarter(args: { db: Database; fanout: EndingHints['fanout']; leaseS: number }): Starter {
  const { db, fanout, leaseS } = args;
  const batcher = createBatcher<Start, StartedExecution | null>({
    maxSize: 256,
    async run(starts) {
      const started = await startExecutions(db, starts, leaseS);
      void fanout.addAll(fanoutJobs(started.map(({ eventId }) => eventId)));
      const byId = new Map(started.map((execution) => [execution.id, execution]));
      return starts.map(({ id }) => take(byId, id));
    },
  });
  return { start: (id, at) => batcher.add({ id, ...at }), idle: batcher.idle };
}

/** An id that came twice in a batch is given to one caller only. */
function take(byId: Map<string, StartedExecution>, id: string): StartedExecution | null {
  const execution = byId.get(id) ?? null;
  byId.delete(id);
  return execution;
}
