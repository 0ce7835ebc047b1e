import type { FailureReason, TrustedResult } from '@holdfast/egress/trusted';
import type { HttpResponse } from './connection.ts';
import type { Ended, Progress, RunProgress } from './interface.ts';
import { failure } from './outcome/failure.ts';

export const lost = failure('GENERATION_FAILED', 'The response of the model was lost.');

const outcomes = {
  timeout: failure('GENERATION_TIMEOUT'),
  aborted: failure('SERVICE_UNAVAILABLE', 'The run was interrupted.'),
  network: lost,
  too_large: failure('GENERATION_FAILED', 'The output of the model is too large.'),
} as const satisfies Record<FailureReason, unknown>;

type NoResponse = Extract<TrustedResult, { ok: false }>;

/** A response stays too large however often it is fetched. `raw`: for the operator. */
export function tooLarge(raw: string): Ended {
  return { state: 'ended', outcome: { ...outcomes.too_large, raw } };
}

/** After a poll without a response: `running` polls again, unless that cannot help. */
export function afterNoResponse(result: NoResponse, running: Progress): Progress {
  const { reason, code, message } = result;
  return reason === 'too_large' ? tooLarge(`${code}: ${message}`) : running;
}

/** After a submit without a response: retry, or unknown. */
export function networkProgress(result: NoResponse): Progress {
  const { reason, reached, code, message } = result;
  const raw = `${code}: ${message}`.slice(0, 4096);
  if (reason === 'too_large') return tooLarge(raw);
  if (reached === 'no') {
    return { state: 'refused', retryAfterMs: 1000, outcome: { ...failure('MODEL_UNAVAILABLE'), raw } };
  }
  return { state: 'unknown', outcome: { ...outcomes[reason], raw } };
}

/** A longer pause may be a mistake, and it stops the model for everyone: after a minute one run tests whether it is over. */
export const maxRetryAfterMs = 60_000;

/** Milliseconds to wait by `retry-after-ms` or `retry-after` (seconds or a date), at most a minute. */
export function retryAfterMs(headers: HttpResponse['headers'], otherwiseMs: number): number {
  const ms = positive(headers['retry-after-ms']);
  const seconds = positive(headers['retry-after']);
  const date = Date.parse(headers['retry-after'] ?? '') - Date.now();
  const requestedMs =
    ms ?? (seconds === null ? null : seconds * 1000) ?? (Number.isNaN(date) ? otherwiseMs : date);
  return Math.ceil(Math.min(Math.max(requestedMs, 0), maxRetryAfterMs));
}

function positive(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : null;
}

/** A progress bar of tqdm: ` 45%|####`. */
const bar = /(\d{1,3})%\|/g;
/** The last state of a bar is at the end of a log. */
const lookedAt = 4096;

export function progressOfLogs(logs: unknown): RunProgress {
  if (typeof logs !== 'string' || logs === '') return {};
  const percent = Number([...logs.slice(-lookedAt).matchAll(bar)].at(-1)?.[1] ?? Number.NaN);
  return { logs, ...(percent <= 100 && { progress: percent / 100 }) };
}
