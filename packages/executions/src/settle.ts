import type { Database } from '@holdfast/db/client';
import type { Ended } from '@holdfast/db/executions/endings';
import { isRefusal } from '@holdfast/db/faults';
import { createBatcher } from '@holdfast/kit/batcher';
import { type EndingHints, hintEvents } from './hints.ts';
import type { Told } from './told.ts';

export type Settler = {
  /** Acts on the recorded outcome of an attempt; doing it twice, or after another ending, changes nothing. */
  settle(attemptId: string): Promise<void>;
  idle(): Promise<void>;
};

/** Concurrent endings of one kind share a statement and a commit. */
export function openSettler(args: {
  db: Database;
  fanout: EndingHints['fanout'];
  end(db: Database, attemptIds: string[]): Promise<Ended[]>;
  ended: Told;
}): Settler {
  const { db, fanout, end, ended } = args;
  const batcher = createBatcher<string, { refusal?: Error }>({
    maxSize: 256,
    async run(attemptIds) {
      const begunAtMs = Date.now();
      const results = await endAll((ids) => end(db, ids), attemptIds);
      const done = results.flatMap((result) => result.done);
      ended(done, begunAtMs);
      void hintEvents(fanout, done);
      return attemptIds.length === results.length ? results : attemptIds.map(() => ({}));
    },
  });
  async function settle(attemptId: string): Promise<void> {
    const { refusal } = await batcher.add(attemptId);
    if (refusal) throw refusal;
  }
  return { settle, idle: batcher.idle };
}

type Result = { done: Ended[]; refusal?: Error };

/** One result for all; or one each, when the database refuses one of them, for its books are damaged: others don't wait. */
async function endAll(end: (ids: string[]) => Promise<Ended[]>, ids: string[]): Promise<Result[]> {
  try {
    return [{ done: await end(ids) }];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (ids.length === 1) return [{ done: [], refusal: error }];
    const results: Result[] = [];
    for (const id of ids) results.push(...(await endAll(end, [id])));
    return results;
  }
}
