import type { ExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { failure, failureFromText } from '../outcome/failure.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { retryAfterMs } from '../retryAfter.ts';

const text = z.string().nullish();
const errorBody = z.object({
  error: z.union([
    z.string().transform((message) => ({ message, type: undefined, code: undefined })),
    z.object({ message: text, type: text, code: z.union([text, z.number()]) }),
  ]),
});

const moderation = /content_policy|content_filter|moderation|safety/i;

/** What an answer with an error status means. */
export function readRefusal(answer: Answer, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const error = errorBody.safeParse(answer.json).data?.error;
  const kind = `${error?.code ?? ''} ${error?.type ?? ''}`;
  const code = codeOf(answer.status, kind);
  const shown = code === 'INPUT_VALIDATION_ERROR' || code === 'CONTENT_MODERATION_REJECTED';
  const outcome = failureFromText(error?.message ?? '', { code, shown }, mapping.errors, secrets);
  if (mayBeSentAgain(answer, code)) {
    return { state: 'refused', retryAfterMs: retryAfterMs(answer.headers, 1000), outcome: failure(code) };
  }
  return {
    state: 'ended',
    outcome,
    ...(code === 'SERVICE_UNAVAILABLE' ? { alert: alertOf(answer, kind) } : {}),
  };
}

function codeOf(status: number, kind: string): ExecutionErrorCode {
  if (status === 400 || status === 413 || status === 422) {
    return moderation.test(kind) ? 'CONTENT_MODERATION_REJECTED' : 'INPUT_VALIDATION_ERROR';
  }
  if (status === 429) return kind.includes('insufficient_quota') ? 'SERVICE_UNAVAILABLE' : 'MODEL_OVERLOADED';
  if (status === 404) return 'MODEL_UNAVAILABLE';
  if (status === 408 || status === 504) return 'GENERATION_TIMEOUT';
  if (status === 503) return 'MODEL_OVERLOADED';
  if (status === 502) return 'MODEL_UNAVAILABLE';
  return status >= 500 ? 'GENERATION_FAILED' : 'SERVICE_UNAVAILABLE';
}

/** The answer is a clear no, and the server has not forbidden to ask again. */
function mayBeSentAgain({ headers }: Answer, code: ExecutionErrorCode): boolean {
  const told = headers['x-should-retry'];
  return code === 'MODEL_OVERLOADED' && told !== 'false';
}

function alertOf({ status, headers }: Answer, kind: string): string {
  return `the connection answers ${status} ${kind.trim()} (request ${String(headers['x-request-id'])})`;
}
