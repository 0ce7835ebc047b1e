import type { FailureReason, TrustedResult } from '@holdfast/egress/trusted';
import type { Progress } from './interface.ts';
import { failure } from './outcome/failure.ts';

const outcomes = {
  timeout: failure('GENERATION_TIMEOUT'),
  aborted: failure('SERVICE_UNAVAILABLE', 'The run was interrupted.'),
  network: failure('MODEL_UNAVAILABLE', 'The connection to the model was lost.'),
  too_large: failure('GENERATION_FAILED', 'The output of the model is too large.'),
} as const satisfies Record<FailureReason, unknown>;

/** What a submit that got no answer means: send it again, or nobody knows. */
export function networkProgress({ reason, reached }: Extract<TrustedResult, { ok: false }>): Progress {
  if (reason === 'too_large') return { state: 'ended', outcome: outcomes[reason] };
  if (reached === 'no')
    return { state: 'refused', retryAfterMs: 1000, outcome: failure('MODEL_UNAVAILABLE') };
  return { state: 'unknown', outcome: outcomes[reason] };
}
