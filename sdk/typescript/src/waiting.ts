import { ApiError, HoldfastError, WaitTimeoutError } from './errors.ts';
import { type ExecutionEvent, followEvents } from './executionEvents.ts';
import type { Http } from './http.ts';
import { backoff, maxPauseMs, requestedDelay, sleep, startTimer } from './retries.ts';
import { type Execution, isEnded, isExecution, type KnownExecution } from './types.ts';

/** What happened to an upload or an execution. Later versions of the service may send other types: ignore those. */
export type ProgressEvent = UploadProgress | ExecutionEvent;

/** `field` is the place of the file in the input, such as `input.source_image`. */
export type UploadProgress = { type: 'upload'; field: string; sentBytes: number; totalBytes: number };

export type WaitOptions = {
  /** Milliseconds to wait. Default: until the execution has expired at the latest. */
  timeout?: number | undefined;
  /** Aborts waiting. */
  signal?: AbortSignal | undefined;
  /** Whether an abort also cancels the execution. */
  cancelOnAbort?: boolean | undefined;
  /** Called with the status, progress and log as they change, and awaited. Its errors end the wait. */
  onProgress?: ((event: ProgressEvent) => unknown) | undefined;
};

/** Below the 30 s after which many proxies end a request. */
const longPollS = 25;
/** A response that comes this early without a change was not held: the service is busy, or does not know `wait`. */
const unheldMs = 1000;
/** What the service may take to record that an execution has expired. */
const expiryGraceMs = 120_000;
/** The status of an execution that cannot be read is not worth more than this. */
const defaultLifeMs = 86_400_000;
const maxStreamFailures = 3;
const maxBackoffMs = 10_000;
/** A caller who aborts does not wait longer for the cancel. */
export const cancelMs = 5000;

/**
 * Waits until an execution has ended, and returns it whatever its final status is.
 * `isWhole` is false for the response to a create, which is a part of the record; `timeout` counts from `startedAt`.
 * @throws WaitTimeoutError, AbortedError, or the error of a request that a repetition cannot cure; all carry the execution
 */
export async function waitForEnd(
  http: Http,
  execution: KnownExecution,
  options: WaitOptions,
  start: WaitStart,
): Promise<Execution> {
  const wait = startWait(execution, options, start);
  try {
    if (options.onProgress && !isEnded(wait.current)) await followToEnd(http, wait);
    // As the first event of a stream does.
    if (wait.isWhole) await wait.update(wait.current as Execution);
    await pollToEnd(http, wait);
    // It was read: a create alone does not end a wait.
    return wait.current as Execution;
  } catch (error) {
    if (wait.isOver() && isAbort(error) && !options.signal?.aborted)
      throw timeoutError(wait.current, options, start);
    if (error instanceof HoldfastError) error.execution ??= wait.current;
    if (options.signal?.aborted && options.cancelOnAbort) await cancel(http, wait.current.id);
    throw error;
  } finally {
    wait.close();
  }
}

/** `startedAt` by `performance.now()`. */
type WaitStart = { startedAt: number; isWhole?: boolean };

type Wait = {
  current: KnownExecution;
  isWhole: boolean;
  /** Aborted by the caller, and when the time is over. */
  signal: AbortSignal;
  isOver(): boolean;
  remainingMs(): number;
  /** Takes a newer record and reports what changed. */
  update(next: Execution): Promise<void>;
  report(event: ExecutionEvent): Promise<void>;
  close(): void;
};

function startWait(
  execution: KnownExecution,
  { timeout, signal, onProgress }: WaitOptions,
  { startedAt, isWhole = true }: WaitStart,
): Wait {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const endsAt = timeout === undefined ? performance.now() + lifeOf(execution) : startedAt + timeout;
  const remainingMs = () => endsAt - performance.now();
  let isOver = false;
  let reported: string | null = null;
  const onTime = () => {
    isOver = true;
    controller.abort();
  };
  const timer = startTimer(onTime, Math.max(0, remainingMs()));
  const wait: Wait = {
    current: execution,
    isWhole,
    signal: controller.signal,
    isOver: () => isOver,
    remainingMs,
    async update(next) {
      const last = wait.current;
      wait.current = next;
      wait.isWhole = true;
      if (next.status !== reported) await wait.report({ type: 'status', execution: next });
      const progress = next.progress ?? null;
      const queuePosition = next.queue_position ?? null;
      if (progress !== (last.progress ?? null) || queuePosition !== (last.queue_position ?? null)) {
        await wait.report({ type: 'progress', progress, queuePosition });
      }
    },
    async report(event) {
      if (event.type === 'status') reported = event.execution.status;
      await onProgress?.(event);
    },
    close() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
  return wait;
}

/** By the server's own times, whose difference does not depend on the clock of this machine. */
function lifeOf({ created_at: createdAt, expires_at: expiresAt }: KnownExecution): number {
  const lifeMs = Date.parse(expiresAt) - Date.parse(createdAt);
  return (lifeMs > 0 ? lifeMs : defaultLifeMs) + expiryGraceMs;
}

/** Follows the event stream. Returns early when the stream does not work: long polls do. */
async function followToEnd(http: Http, wait: Wait): Promise<void> {
  const events = followEvents(http, wait.current.id, { signal: wait.signal, maxFailures: maxStreamFailures });
  try {
    for (;;) {
      const next = await events.next().catch((error: unknown) => {
        if (isStreamFailure(error)) return null;
        throw error;
      });
      if (next === null || next.done) return;
      const event = next.value;
      if (event.type === 'status') {
        wait.current = event.execution;
        wait.isWhole = true;
      }
      await wait.report(event);
    }
  } finally {
    // Also when `onProgress` throws: an open stream would keep the process alive.
    await events.return();
  }
}

/** Older services and limited tokens have no stream, and a key may have only a few: that is no reason to give up. */
function isStreamFailure(error: unknown): boolean {
  if (!(error instanceof HoldfastError) || isAbort(error)) return false;
  return error.retryable || (error instanceof ApiError && [404, 405, 406, 501].includes(error.status));
}

async function pollToEnd(http: Http, wait: Wait): Promise<void> {
  let pauses = 0;
  while (!wait.isWhole || !isEnded(wait.current)) {
    const { status } = wait.current;
    const startedAt = performance.now();
    const pauseMs = await longPoll(http, wait);
    if (wait.current.status !== status) pauses = 0;
    else if (pauseMs !== null || performance.now() - startedAt < unheldMs) {
      pauses += 1;
      await sleep(pauseMs ?? backoff(pauses, maxBackoffMs), wait.signal);
    }
  }
}

/** Waits for a change of the status. Returns the milliseconds to pause after a failure, else null. */
async function longPoll(http: Http, { current, signal, remainingMs, update }: Wait): Promise<number | null> {
  const wait = Math.max(1, Math.min(longPollS, Math.ceil(remainingMs() / 1000)));
  const path = `/v1/executions/${encodeURIComponent(current.id)}`;
  let next: Execution;
  try {
    const call = {
      method: 'GET',
      path,
      query: { wait },
      holdMs: wait * 1000,
      isExpected: isExecution,
    } as const;
    next = await http.json<Execution>(call, { signal });
  } catch (error) {
    if (error instanceof HoldfastError && error.retryable && !isAbort(error)) {
      return Math.min(requestedDelay(error) ?? backoff(3, maxBackoffMs), maxPauseMs);
    }
    throw error;
  }
  await update(next);
  return null;
}

const isAbort = (error: unknown) => error instanceof HoldfastError && error.code === 'ABORTED';

function timeoutError(
  execution: KnownExecution,
  { timeout }: WaitOptions,
  { startedAt }: WaitStart,
): WaitTimeoutError {
  const after = timeout === undefined ? 'its expiry' : `${Math.round(performance.now() - startedAt)} ms`;
  return new WaitTimeoutError(
    execution,
    `The execution ${execution.id} is ${execution.status} after ${after}. It runs on: ` +
      `client.executions.wait('${execution.id}') waits for it again.`,
  );
}

/** The abort is reported whatever the response is, if there is one: the execution may have ended in the meantime. */
export async function cancel(
  http: Http,
  id: string,
  signal: AbortSignal = AbortSignal.timeout(cancelMs),
): Promise<void> {
  const path = `/v1/executions/${encodeURIComponent(id)}/cancel`;
  const call = { method: 'POST', path, isRepeatable: true, isExpected: isExecution } as const;
  await http.json(call, { signal }).catch((error: unknown) => {
    if (!(error instanceof HoldfastError)) throw error;
  });
}
