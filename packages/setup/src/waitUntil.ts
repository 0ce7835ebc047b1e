import { backoff, retry } from '@holdfast/kit/retry';
import { reasonOf, TimeLimitError, within } from '@holdfast/kit/within';

export type Patience = { forMs: number; pauseMs: number };

export const patience: Patience = { forMs: 60_000, pauseMs: 1000 };

type Waiting = {
  what: string;
  work: () => Promise<unknown>;
  passes: (error: unknown) => boolean;
  say: (line: string) => void;
};

/** Retries until it works; an attempt that hangs is given up too. @throws at once for a permanent error */
export async function waitUntil(waiting: Waiting, { forMs, pauseMs }: Patience = patience): Promise<void> {
  const { what, work, passes, say } = waiting;
  const deadlineMs = performance.now() + forMs;
  const isRetryable = (error: unknown) => error instanceof NoResponse || passes(error);
  await retry(() => within(deadlineMs - performance.now(), what, work()).catch(rethrow), {
    delaysMs: backoff(pauseMs, pauseMs),
    forMs,
    isRetryable,
    onFailure(error, { tries, willRetry }) {
      if (tries === 1 && willRetry) say(`waiting up to ${forMs / 1000} s for ${what}: ${reasonOf(error)}`);
    },
  }).catch((error: unknown) => {
    if (!isRetryable(error)) throw error;
    throw new Error(`${what} is not available after ${forMs / 1000} s: ${reasonOf(error)}`, { cause: error });
  });
}

class NoResponse extends Error {}

function rethrow(error: unknown): never {
  throw error instanceof TimeLimitError ? new NoResponse('no response') : error;
}
