import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Answer } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { lost } from '../networkProgress.ts';
import { badRequest } from '../outcome/badRequest.ts';
import { failure, reportedFailure } from '../outcome/failure.ts';
import { answerText, type Secrets, withRaw } from '../outcome/raw.ts';
import { retryAfterMs } from '../retryAfter.ts';
import { codeOf, isBad, troubleOfAnswer, typedCode } from './trouble.ts';

/** What an answer to a submit means that does not say that the run was accepted. */
export function readRefusal(answer: Answer, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const { status, headers } = answer;
  const said = answerText(answer);
  const trouble = troubleOfAnswer(answer);
  if (isBad(status)) {
    const report = { ...trouble, code: typedCode(trouble), kind: trouble.types.join(' ') };
    return badRequest(answer, report, mapping, secrets);
  }
  const outcome = reportedFailure({ ...trouble, code: codeOf(trouble, mapping) }, mapping, secrets, said);
  if (status === 408 || status === 429 || status === 503) {
    if (headers['x-fal-retryable'] === 'false') return { state: 'refused', retryAfterMs: null, outcome };
    const refused = { state: 'refused', retryAfterMs: retryAfterMs(headers, 1000), outcome } as const;
    return status === 408 ? refused : { ...refused, isBusy: true };
  }
  if (status === 504) return { state: 'unknown', outcome };
  // It may be in the queue all the same.
  if (status >= 500 || status < 300) return { state: 'unknown', outcome: withRaw(lost, said, secrets) };
  const alert =
    outcome.code === 'MODEL_UNAVAILABLE'
      ? `the model's address answers ${status}`
      : `the connection answers ${status}: check its URL, its key and its balance`;
  const code = outcome.code === 'MODEL_UNAVAILABLE' ? outcome.code : 'SERVICE_UNAVAILABLE';
  return { state: 'refused', retryAfterMs: null, outcome: withRaw(failure(code), said, secrets), alert };
}
