import type { ExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { lost } from '../networkProgress.ts';
import { failure, failureFromText } from '../outcome/failure.ts';
import { answerText, rawText, withRaw } from '../outcome/raw.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { retryAfterMs } from '../retryAfter.ts';

const text = z.string().nullish();
const errorBody = z.object({
  error: z.union([
    z.string().transform((message) => ({ message, type: undefined, param: undefined, code: undefined })),
    z.object({ message: text, type: text, param: text, code: z.union([text, z.number()]) }),
  ]),
});

const moderation = /content_policy|content_filter|moderation|safety|cyber_policy/i;

/** It is logged for the operator. */
const longestKind = 200;

type Verdict = {
  code: ExecutionErrorCode;
  /** `again` and `useless`: not accepted, and asking here again is of use, or none. */
  means: 'again' | 'useless' | 'ended' | 'unknown';
};

/** What an answer to a submit with an error status means. */
export function readRefusal(answer: Answer, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const error = errorBody.safeParse(answer.json).data?.error;
  const kind = `${error?.code ?? ''} ${error?.type ?? ''}`.trim().slice(0, longestKind);
  const { code, means } = verdictOf(answer, kind);
  const said = answerText(answer);
  if (means === 'unknown') {
    const outcome = code === lost.code ? lost : failure(code);
    return { state: 'unknown', outcome: withRaw(outcome, said, secrets) };
  }
  if (means === 'ended') {
    const shown = code === 'INPUT_VALIDATION_ERROR' || code === 'CONTENT_MODERATION_REJECTED';
    const words = [shown && error?.param, error?.message].filter((part) => part).join(': ');
    return {
      state: 'ended',
      outcome: failureFromText(words, { code, shown }, mapping.errors, secrets, said),
      ...(answer.status >= 500 && { isTheirFault: true }),
    };
  }
  const outcome = withRaw(failure(code), said, secrets);
  return means === 'again'
    ? { state: 'refused', retryAfterMs: retryAfterMs(answer.headers, 1000), outcome }
    : { state: 'refused', retryAfterMs: null, outcome, alert: rawText(alertOf(answer, kind), secrets) };
}

function verdictOf({ status, headers }: Answer, kind: string): Verdict {
  const told = headers['x-should-retry'];
  if (status === 429 && kind.includes('insufficient_quota'))
    return { code: 'SERVICE_UNAVAILABLE', means: 'useless' };
  if (status === 409 || status === 429 || status === 503)
    return { code: 'MODEL_OVERLOADED', means: told === 'false' ? 'useless' : 'again' };
  if (status === 500) return { code: 'GENERATION_FAILED', means: told === 'true' ? 'again' : 'ended' };
  // Of a proxy: what is behind it may go on.
  if (status === 408 || status === 504) return { code: 'GENERATION_TIMEOUT', means: 'unknown' };
  if (status > 500) return { code: 'GENERATION_FAILED', means: 'unknown' };
  if (status === 404 || status === 405) return { code: 'MODEL_UNAVAILABLE', means: 'useless' };
  if (status === 400 || status === 413 || status === 415 || status === 422) {
    const isModerated = moderation.test(kind);
    return { code: isModerated ? 'CONTENT_MODERATION_REJECTED' : 'INPUT_VALIDATION_ERROR', means: 'ended' };
  }
  return { code: 'SERVICE_UNAVAILABLE', means: 'useless' };
}

function alertOf({ status, headers }: Answer, kind: string): string {
  const id = headers['x-request-id'];
  const words = kind === '' ? `${status}` : `${status} ${kind}`;
  return `the connection answers ${words}${typeof id === 'string' ? ` (request ${id})` : ''}`;
}
