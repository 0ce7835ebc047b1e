import type { FailureReason, TrustedResult } from '@holdfast/egress/trusted';
import type { Ended, Progress } from './interface.ts';
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
