import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@holdfast/kit/logger';
import { isDatabaseOutOfReach } from './unavailable.ts';

const longestPauseMs = 1000;
/** Deadlocks, failed serialisations, statements that took too long. */
const passing = /^(40...|57014)$/;

/**
 * For what would be lost if it were not written down: tries again for `forMs` while the database is away, or the error
 * is one that passes. @throws the last error, and at once one that does not pass
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
      if (!passes(error) || performance.now() + pauseMs > deadlineMs) throw error;
      log.warn({ err: error }, 'not written down yet; trying again');
      await delay(pauseMs);
    }
  }
}

function passes(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return isDatabaseOutOfReach(error) || (typeof code === 'string' && passing.test(code));
}
