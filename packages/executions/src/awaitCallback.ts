import { type RunningAttempt, recordRunning } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { persistently } from '@holdfast/db/persistently';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';

/** After that another dispatcher has to ask the provider. */
const recordForMs = 60_000;

export type Awaiter = {
  /**
   * The provider has accepted the run: its handle is kept, and where it will call back the execution goes
   * PROCESSING -> AWAITING_WEBHOOK. False, and nothing changes, when its end has come before.
   */
  accepted(attempt: RunningAttempt): Promise<boolean>;
  idle(): Promise<void>;
};

export function openAwaiter(db: Database, log: Logger): Awaiter {
  const batcher = createBatcher<RunningAttempt, boolean>({
    maxSize: 256,
    async run(attempts) {
      const running = new Set(await persistently(log, recordForMs, () => recordRunning(db, attempts)));
      return attempts.map(({ attemptId }) => running.has(attemptId));
    },
  });
  return { accepted: batcher.add, idle: batcher.idle };
}
