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

const text = z.string().catch('');
const problem = z.object({
  title: text,
  detail: text,
  retry_after: z.number().nonnegative().nullish().catch(null),
  invalid_fields: z.array(z.object({ field: text, description: text })).catch([]),
});

const noSuchVersion = /invalid version|version does not exist/i;

/** What an answer to a create means that is no prediction. */
export function readRefusal(answer: Answer, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const { status } = answer;
  const said = answerText(answer);
  const told = (code: ExecutionErrorCode) => withRaw(failure(code), said, secrets);
  const useless = (code: ExecutionErrorCode, alert: string): Progress => ({
    state: 'refused',
    retryAfterMs: null,
    outcome: told(code),
    alert,
  });
  const about = problem.safeParse(answer.json).data;
  if (status === 400 || status === 413 || status === 422) {
    if (noSuchVersion.test(`${about?.title} ${about?.detail}`)) {
      return useless('MODEL_UNAVAILABLE', `the connection answers ${status}: there is no such version`);
    }
    const otherwise = { code: 'INPUT_VALIDATION_ERROR', shown: true } as const;
    const outcome = failureFromText(inputProblem(about), otherwise, mapping.errors, secrets, said);
    return { state: 'ended', outcome };
  }
  if (status === 429) {
    const askedMs = refusedForMs(answer);
    return { state: 'refused', retryAfterMs: askedMs, outcome: told('MODEL_OVERLOADED') };
  }
  if (status === 404)
    return useless('MODEL_UNAVAILABLE', 'the connection answers 404: there is no such model');
  if (status >= 500) return { state: 'unknown', outcome: told('MODEL_UNAVAILABLE') };
  if (status >= 300)
    return useless('SERVICE_UNAVAILABLE', `the connection answers ${status}: check its key, account and URL`);
  return { state: 'unknown', outcome: withRaw(lost, said, secrets) };
}

const longestMs = 60_000;

/** How long to leave it alone: `retry_after` of the body, or the header. */
export function refusedForMs({ json, headers }: Answer): number {
  const inBody = problem.safeParse(json).data?.retry_after;
  return typeof inBody === 'number'
    ? Math.ceil(Math.min(inBody * 1000, longestMs))
    : retryAfterMs(headers, 1000);
}

/** `prompt: is required; ...`, or the `- input.prompt: is required` lines as one. */
function inputProblem(about: z.infer<typeof problem> | undefined): string {
  const fields = (about?.invalid_fields ?? [])
    .filter(({ description }) => description !== '')
    .map(({ field, description }) => [field.replace(/^input(\.|$)/, ''), description])
    .map(([field, description]) => (field ? `${field}: ${description}` : description));
  if (fields.length > 0) return fields.join('; ');
  const lines = (about?.detail ?? '')
    .split('\n')
    .map((line) => line.replace(/^- (input\.|input: )?/, '').trim());
  return lines.filter((line) => line !== '').join('; ');
}
