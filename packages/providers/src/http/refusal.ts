import type { ExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { lost } from '../networkProgress.ts';
import { failure, failureFromText } from '../outcome/failure.ts';
import { answerText, withRaw } from '../outcome/raw.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { retryAfterMs } from '../retryAfter.ts';
import type { HttpOptions } from './options.ts';
import { codeIn, errorText } from './reading.ts';

const invalid = [400, 413, 415, 422];
/** Certainly not accepted, and worth asking again. */
const busy = [409, 425, 429, 503];
/** A proxy gave up; what is behind it may go on. */
const proxied = [408, 502, 504];

/** What an answer to a submit means whose status is no success. */
export function readRefusal(
  answer: Answer,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
): Progress {
  const { status, json } = answer;
  const said = answerText(answer);
  const named = codeIn(json, options);
  if (proxied.includes(status) || status > 504) {
    const outcome = status === 502 || status > 504 ? lost : failure('GENERATION_TIMEOUT');
    return { state: 'unknown', outcome: withRaw(outcome, said, secrets) };
  }
  const code = named ?? usualCode(status);
  if (busy.includes(status) || (status < 500 && isPassing(named))) {
    const outcome = withRaw(failure(code), said, secrets);
    return { state: 'refused', retryAfterMs: retryAfterMs(answer.headers, 1000), outcome };
  }
  if (named !== undefined || invalid.includes(status) || status === 500) {
    const shown = named !== undefined || invalid.includes(status);
    const outcome = failureFromText(errorText(json, options), { code, shown }, mapping.errors, secrets, said);
    return { state: 'ended', outcome };
  }
  const alert = `the connection answers ${status}: check its URL and key, and the model's options`;
  return { state: 'refused', retryAfterMs: null, outcome: withRaw(failure(code), said, secrets), alert };
}

function isPassing(code: ExecutionErrorCode | undefined): boolean {
  return code === 'MODEL_OVERLOADED' || code === 'MODEL_UNAVAILABLE' || code === 'RATE_LIMITED';
}

function usualCode(status: number): ExecutionErrorCode {
  if (invalid.includes(status)) return 'INPUT_VALIDATION_ERROR';
  if (status === 404 || status === 405) return 'MODEL_UNAVAILABLE';
  if (busy.includes(status)) return 'MODEL_OVERLOADED';
  return status === 500 ? 'GENERATION_FAILED' : 'SERVICE_UNAVAILABLE';
}
