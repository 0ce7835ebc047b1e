import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@holdfast/kit/logger';
import { isPassing } from './faults.ts';

const longestPauseMs = 1000;

/**
 * For what would be lost if it were not written down: tries again for `forMs` while the error is one that passes.
 * @throws the last error, and at once one that does not pass
 */
export async function persistently<Result>(
  log: Logger,
  forMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadlineMs = performance.now() + forMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() + pauseMs > deadlineMs) throw error;
      log.warn({ err: error }, 'not written down yet; trying again');
      await delay(pauseMs);
    }
  }
}
