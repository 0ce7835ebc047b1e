import type { FailureReason, TrustedResult } from '@holdfast/egress/trusted';
import type { Progress } from './interface.ts';
import { failure } from './outcome/failure.ts';

/** What a run fails with of which nobody knows what became of it. */
export const lost = failure('GENERATION_FAILED', 'The answer of the model was lost.');

const outcomes = {
  timeout: failure('GENERATION_TIMEOUT'),
  aborted: failure('SERVICE_UNAVAILABLE', 'The run was interrupted.'),
  network: lost,
  too_large: failure('GENERATION_FAILED', 'The output of the model is too large.'),
} as const satisfies Record<FailureReason, unknown>;

/** What a submit that got no answer means: send it again, or nobody knows. */
export function networkProgress(result: Extract<TrustedResult, { ok: false }>): Progress {
  const { reason, reached, code, message } = result;
  const raw = `${code}: ${message}`.slice(0, 4096);
  if (reason === 'too_large') return { state: 'ended', outcome: { ...outcomes[reason], raw } };
  if (reached === 'no') {
    return { state: 'refused', retryAfterMs: 1000, outcome: { ...failure('MODEL_UNAVAILABLE'), raw } };
  }
  return { state: 'unknown', outcome: { ...outcomes[reason], raw } };
}
