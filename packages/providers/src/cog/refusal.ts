import type { ExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { lost } from '../networkProgress.ts';
import { failure, failureFromText } from '../outcome/failure.ts';
import { answerText, withRaw } from '../outcome/raw.ts';
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
  const said = answerText(answer);
  const told = (code: ExecutionErrorCode) => withRaw(failure(code), said, secrets);
  const refused = (code: ExecutionErrorCode): Progress => ({
    state: 'refused',
    retryAfterMs: retryAfterMs(answer.headers, 1000),
    outcome: told(code),
  });
  const useless = (code: ExecutionErrorCode, alert: string): Progress => ({
    state: 'refused',
    retryAfterMs: null,
    outcome: told(code),
    alert,
  });
  if (status === 400 || status === 413 || status === 422) {
    const otherwise = { code: 'INPUT_VALIDATION_ERROR', shown: true } as const;
    const outcome = failureFromText(detailText(answer.json), otherwise, mapping.errors, secrets, said);
    return { state: 'ended', outcome };
  }
  if (status === 409 || status === 429) return refused('MODEL_OVERLOADED');
  if (status === 503) return refused('MODEL_UNAVAILABLE');
  if (status === 404 || status === 405)
    return useless('MODEL_UNAVAILABLE', `the model's address answers ${status}`);
  if (status === 504) return { state: 'unknown', outcome: told('GENERATION_TIMEOUT') };
  if (status >= 500) return { state: 'unknown', outcome: withRaw(lost, said, secrets) };
  if (status >= 300)
    return useless('SERVICE_UNAVAILABLE', `the connection answers ${status}: check its URL and key`);
  return {
    state: 'ended',
    outcome: told('GENERATION_FAILED'),
    alert: `the connection answers ${status} with something that is no prediction`,
  };
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
