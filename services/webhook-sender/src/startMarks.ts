import type { StartedAttempt } from '@holdfast/db/webhooks/attempts';
import type { Logger } from '@holdfast/kit/logger';

/** `written` resolves once the mark is written; one that is not being written yet is dropped: the record replaces it. */
type StartMark = { written(): Promise<void> };

/** Most requests end sooner and need no mark. The others get it at this age, or up to twice as old. */
export const markAfterMs = 50;

/**
 * Counts attempts claimed ahead, many at once, shortly after their start: a crash counts what was sent, no more. `mark`
 * returns the new ends of their leases.
 */
export function createStartMarks(
  mark: (started: StartedAttempt[]) => Promise<Map<string, Date>>,
  log: Logger,
): { add(started: StartedAttempt): StartMark } {
  /** By the time of their start. */
  const waiting = new Map<StartedAttempt, number>();
  const writing = new Map<StartedAttempt, Promise<void>>();
  let timer: NodeJS.Timeout | null = null;

  async function write(batch: StartedAttempt[]): Promise<void> {
    try {
      const leases = await mark(batch);
      for (const one of batch) one.leaseUntil = leases.get(one.id) ?? one.leaseUntil;
    } catch (error) {
      log.warn({ err: error, attempts: batch.length }, 'could not mark webhook attempts as started');
    } finally {
      for (const one of batch) writing.delete(one);
    }
  }

  function writeDue(): void {
    const dueMs = performance.now() - markAfterMs;
    const batch = [...waiting].filter(([, startedAtMs]) => startedAtMs <= dueMs).map(([one]) => one);
    for (const one of batch) waiting.delete(one);
    timer = waiting.size > 0 ? setTimeout(writeDue, markAfterMs) : null;
    if (batch.length === 0) return;
    const written = write(batch);
    for (const one of batch) writing.set(one, written);
  }

  return {
    add(started) {
      timer ??= setTimeout(writeDue, markAfterMs);
      waiting.set(started, performance.now());
      return {
        async written() {
          waiting.delete(started);
          await writing.get(started);
        },
      };
    },
  };
}
