import { setTimeout as delay } from 'node:timers/promises';

export type RetryOptions = {
  /** The pause before each retry; it gives up when there is no next one. */
  delaysMs: Iterable<number>;
  /** No retry starts later than this after the first try. */
  forMs?: number;
  signal?: AbortSignal | undefined;
  isRetryable?(error: unknown): boolean;
  onFailure?(error: unknown, failure: { tries: number; willRetry: boolean }): void;
};

/** @throws the last error, or the signal's reason when it aborts */
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

export function* backoff(firstMs: number, maxMs: number): Generator<number, never> {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, maxMs)) yield pauseMs;
}
