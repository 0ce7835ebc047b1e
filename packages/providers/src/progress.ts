import type { FailureReason, TrustedResult } from '@holdfast/egress/trusted';
import type { Answer } from './connection.ts';
import type { Ended, Progress, Telling } from './interface.ts';
import { failure } from './outcome/failure.ts';

/** What a run fails with of which nobody knows what became of it. */
export const lost = failure('GENERATION_FAILED', 'The answer of the model was lost.');

const outcomes = {
  timeout: failure('GENERATION_TIMEOUT'),
  aborted: failure('SERVICE_UNAVAILABLE', 'The run was interrupted.'),
  network: lost,
  too_large: failure('GENERATION_FAILED', 'The output of the model is too large.'),
} as const satisfies Record<FailureReason, unknown>;

type NoAnswer = Extract<TrustedResult, { ok: false }>;

/** The end of a run whose answer is too large: it is as large whenever it is asked for. `raw`: for the operator. */
export function tooLarge(raw: string): Ended {
  return { state: 'ended', outcome: { ...outcomes.too_large, raw } };
}

/** What a question about a run that got no answer means: `running`, it is asked again; or there is no use in that. */
export function unanswered(result: NoAnswer, running: Progress): Progress {
  const { reason, code, message } = result;
  return reason === 'too_large' ? tooLarge(`${code}: ${message}`) : running;
}

/** What a submit that got no answer means: send it again, or nobody knows. */
export function networkProgress(result: NoAnswer): Progress {
  const { reason, reached, code, message } = result;
  const raw = `${code}: ${message}`.slice(0, 4096);
  if (reason === 'too_large') return tooLarge(raw);
  if (reached === 'no') {
    return { state: 'refused', retryAfterMs: 1000, outcome: { ...failure('MODEL_UNAVAILABLE'), raw } };
  }
  return { state: 'unknown', outcome: { ...outcomes[reason], raw } };
}

/** A provider that asks for longer is asked once in so long. */
export const longestRetryAfterMs = 600_000;

/** Whole milliseconds that an answer asks us to wait (`retry-after-ms`, `retry-after` in seconds or as a date), at most ten minutes. */
export function retryAfterMs(headers: Answer['headers'], otherwiseMs: number): number {
  const ms = positive(headers['retry-after-ms']);
  const seconds = positive(headers['retry-after']);
  const date = Date.parse(headers['retry-after'] ?? '') - Date.now();
  const asked = ms ?? (seconds === null ? null : seconds * 1000) ?? (Number.isNaN(date) ? otherwiseMs : date);
  return Math.ceil(Math.min(Math.max(asked, 0), longestRetryAfterMs));
}

function positive(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : null;
}

/** The share of a progress bar as tqdm draws it: ` 45%|####`. */
const bar = /(\d{1,3})%\|/g;
/** A bar's last state stands at the end of a log. */
const lookedAt = 4096;

/** What a run's log so far tells: itself, and how far the last progress bar in it has come. */
export function tellingOfLogs(logs: unknown): Telling {
  if (typeof logs !== 'string' || logs === '') return {};
  const percent = Number([...logs.slice(-lookedAt).matchAll(bar)].at(-1)?.[1] ?? Number.NaN);
  return { logs, ...(percent <= 100 && { progress: percent / 100 }) };
}
