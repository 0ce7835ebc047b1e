import type { Database } from '@holdfast/db/client';
import { markStarted, type StartedAttempt } from '@holdfast/db/webhooks/attempts';
import type { Logger } from '@holdfast/kit/logger';

/** `settled` resolves once the mark is written; one that is not being written yet is dropped: the record replaces it. */
export type StartMark = { settled(): Promise<void> };

/** Many requests end sooner, and need no mark. */
const afterMs = 100;

/**
 * Counts attempts of deliveries that were claimed ahead, many at once, shortly after they have started: so a crash
 * counts what was sent, and nothing that only waited.
 */
export function createStartMarks(db: Database, log: Logger): { add(started: StartedAttempt): StartMark } {
  let waiting = new Set<StartedAttempt>();
  const writing = new Map<StartedAttempt, Promise<void>>();

  function write(): void {
    const batch = [...waiting];
    waiting = new Set();
    if (batch.length === 0) return;
    const written = markStarted(db, batch)
      .catch((error: unknown) => {
        log.warn({ err: error, attempts: batch.length }, 'could not mark webhook attempts as started');
      })
      .finally(() => {
        for (const one of batch) writing.delete(one);
      });
    for (const one of batch) writing.set(one, written);
  }

  return {
    add(started) {
      if (waiting.size === 0) setTimeout(write, afterMs);
      waiting.add(started);
      return {
        async settled() {
          waiting.delete(started);
          await writing.get(started);
        },
      };
    },
  };
}
