import { setTimeout as delay } from 'node:timers/promises';

export type RetryOptions = {
  /** The pause before each retry. Without another one, the work is given up. */
  delaysMs: Iterable<number>;
  /** No retry begins later than this after the first try. */
  forMs?: number;
  signal?: AbortSignal | undefined;
  /** Whether the same work may succeed later; every error, unless given. */
  isRetryable?(error: unknown): boolean;
  /** Called after each failed try, the first being 1. */
  onFailure?(error: unknown, failure: { tries: number; willRetry: boolean }): void;
};

/**
 * Returns the result of the first try that succeeds.
 * @throws the error of the last try; the signal's reason or an AbortError when it aborts before a try
 */
export async function retry<Result>(work: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { forMs = Number.POSITIVE_INFINITY, signal, isRetryable = () => true, onFailure } = options;
  const delays = options.delaysMs[Symbol.iterator]();
  const deadlineMs = performance.now() + forMs;
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const next = delays.next();
      const willRetry = !next.done && isRetryable(error) && performance.now() + next.value <= deadlineMs;
      onFailure?.(error, { tries, willRetry });
      if (!willRetry) throw error;
      await delay(next.value, undefined, { signal });
    }
  }
}

/** Pauses without end: each twice as long as the one before, at most `maxMs`. */
export function* backoff(firstMs: number, maxMs: number): Generator<number, never> {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, maxMs)) yield pauseMs;
}
