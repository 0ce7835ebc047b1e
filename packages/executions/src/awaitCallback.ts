import { type RunningAttempt, recordRunning } from '@holdfast/db/attempts/recordRunning';
import type { Database } from '@holdfast/db/client';
import { createBatcher } from '@holdfast/kit/batcher';

export type Awaiter = {
  /**
   * The provider has accepted the run: its handle is kept, and where it will call back the execution goes
   * PROCESSING -> AWAITING_WEBHOOK. Too late for a run whose end came before: then nothing changes.
   */
  accepted(attempt: RunningAttempt): Promise<void>;
  idle(): Promise<void>;
};

export function openAwaiter(db: Database): Awaiter {
  const batcher = createBatcher<RunningAttempt, undefined>({
    maxSize: 256,
    async run(attempts) {
      await recordRunning(db, attempts);
      return attempts.map(() => undefined);
    },
  });
  return { accepted: batcher.add, idle: batcher.idle };
}
