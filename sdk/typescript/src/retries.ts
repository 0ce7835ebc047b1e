import { AbortedError, ApiError, ConnectionError, type HoldfastError } from './errors.ts';

const firstDelayMs = 500;
const maxDelayMs = 8000;
/** A longer timer would end at once. */
const maxTimerMs = 2 ** 31 - 1;
/** A wait asks again after this long at the latest, whatever a proxy requests. */
export const maxPauseMs = 60_000;

export type Repetition = {
  /** Whether a request that may have been processed can be sent again. */
  isRepeatable: boolean;
  /** How often it has failed, this failure included. */
  failures: number;
  remainingMs: number;
  maxRetries: number;
};

/** Milliseconds until a request is repeated; null: it is not. */
export function retryDelay(error: HoldfastError, repetition: Repetition): number | null {
  const { failures, remainingMs, maxRetries } = repetition;
  if (failures > maxRetries || !isCurable(error, repetition.isRepeatable)) return null;
  const delayMs = requestedDelay(error) ?? backoff(failures);
  return delayMs > remainingMs ? null : delayMs;
}

function isCurable(error: HoldfastError, isRepeatable: boolean): boolean {
  if (error instanceof ConnectionError) return isRepeatable || error.isUnsent;
  if (!(error instanceof ApiError)) return false;
  // Refused before anything was done.
  if (error.status === 408 || error.status === 429) return true;
  return error.status >= 500 && error.retryable && isRepeatable;
}

/** Whether a request that failed may have been processed, though its response did not arrive. */
export function mayBeDone(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.isUnsent;
  return error instanceof ApiError && error.status >= 500;
}

/** Half of the delay is random, so that clients which failed together do not return together. */
export function backoff(failures: number, longestMs = maxDelayMs): number {
  const delayMs = Math.min(longestMs, firstDelayMs * 2 ** (failures - 1));
  return delayMs / 2 + Math.random() * (delayMs / 2);
}

/** `Retry-After` in milliseconds, with a little more at random. */
export function requestedDelay(error: HoldfastError): number | null {
  const text = error instanceof ApiError ? error.headers.get('retry-after') : null;
  if (text === null) return null;
  // `Date.parse` takes nearly any number for a year.
  const dateMs = /^[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : dateMs - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) + Math.random() * firstDelayMs : null;
}

/** `setTimeout` for any length, endless included. */
export function startTimer(onTime: () => void, ms: number): ReturnType<typeof setTimeout> {
  return setTimeout(onTime, Math.min(ms, maxTimerMs));
}

/** @throws AbortedError */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new AbortedError(signal.reason));
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(new AbortedError(signal?.reason));
    };
    const timer = startTimer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
