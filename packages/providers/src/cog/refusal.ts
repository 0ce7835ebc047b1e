import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { failure, failureFromText } from '../outcome/failure.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { retryAfterMs } from '../retryAfter.ts';

const detail = z.object({
  detail: z.union([
    z.string(),
    z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).default([]), msg: z.string() })),
  ]),
});

/** What an answer other than a prediction means. */
export function readRefusal(answer: Answer, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const { status } = answer;
  if (status === 400 || status === 413 || status === 422) {
    const otherwise = { code: 'INPUT_VALIDATION_ERROR', shown: true } as const;
    return {
      state: 'ended',
      outcome: failureFromText(detailText(answer.json), otherwise, mapping.errors, secrets),
    };
  }
  if (status === 409 || status === 429) return refused(answer, 'MODEL_OVERLOADED');
  if (status === 503) return refused(answer, 'MODEL_UNAVAILABLE');
  if (status === 404 || status === 405)
    return ended('MODEL_UNAVAILABLE', `the model's address answers ${status}`);
  if (status === 504) return { state: 'unknown', outcome: failure('GENERATION_TIMEOUT') };
  if (status >= 500) return { state: 'unknown', outcome: failure('MODEL_UNAVAILABLE') };
  if (status >= 300)
    return ended('SERVICE_UNAVAILABLE', `the connection answers ${status}: check its URL and key`);
  return ended('GENERATION_FAILED', `the connection answers ${status} with something that is no prediction`);
}

function refused(answer: Answer, code: 'MODEL_OVERLOADED' | 'MODEL_UNAVAILABLE'): Progress {
  return { state: 'refused', retryAfterMs: retryAfterMs(answer.headers, 1000), outcome: failure(code) };
}

function ended(
  code: 'MODEL_UNAVAILABLE' | 'SERVICE_UNAVAILABLE' | 'GENERATION_FAILED',
  alert: string,
): Progress {
  return { state: 'ended', outcome: failure(code), alert };
}

/** FastAPI's `{detail: [{loc, msg}]}` as `prompt: field required; ...`. */
function detailText(json: unknown): string {
  const found = detail.safeParse(json).data?.detail;
  if (found === undefined || typeof found === 'string') return found ?? '';
  return found
    .map(({ loc, msg }) => [loc.filter((step) => step !== 'body' && step !== 'input').join('.'), msg])
    .map(([field, msg]) => (field ? `${field}: ${msg}` : msg))
    .join('; ');
}
