import type { Logger } from '@holdfast/kit/logger';
import { backoff, retry } from '@holdfast/kit/retry';
import { isPassing } from './faults.ts';

/**
 * For what would be lost if it were not written down: tries again for `forMs` while the error is one that passes.
 * @throws the last error, and at once one that does not pass
 */
export async function persistently<Result>(
  log: Logger,
  forMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return await retry(work, {
    delaysMs: backoff(100, 1000),
    forMs,
    isRetryable: isPassing,
    onFailure(error, { willRetry }) {
      if (willRetry) log.warn({ err: error }, 'not written down yet; trying again');
    },
  });
}
