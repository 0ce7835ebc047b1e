import type { Database } from '@holdfast/db/client';
import type { Ended } from '@holdfast/db/executions/ending';
import { createBatcher } from '@holdfast/kit/batcher';
import { type EndingHints, hintEvents } from './hints.ts';

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
  /** Told of what this process has ended, once it is committed. */
  ended(done: Ended[]): void;
}): Settler {
  const { db, fanout, end, ended } = args;
  const batcher = createBatcher<string, undefined>({
    maxSize: 256,
    async run(attemptIds) {
      const done = await end(db, attemptIds);
      ended(done);
      void hintEvents(fanout, done);
      return attemptIds.map(() => undefined);
    },
  });
  return { settle: batcher.add, idle: batcher.idle };
}
