import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { OutcomeMapping } from '@holdfast/domain/outcome';
import { z } from 'zod';
import type { HttpResponse } from '../connection.ts';
import type { Progress } from '../interface.ts';
import { badRequest, failure } from '../outcome/failure.ts';
import type { FieldPath } from '../outcome/field.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { lost, maxRetryAfterMs, retryAfterMs } from '../progress.ts';

const text = z.string().catch('');
const problem = z.object({
  title: text,
  detail: text,
  retry_after: z.number().nonnegative().nullish().catch(null),
  invalid_fields: z.array(z.object({ field: text, description: text })).catch([]),
});

const noSuchVersion = /invalid version|version does not exist/i;

export function readRefusal(response: HttpResponse, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const { status } = response;
  const said = responseText(response);
  const failed = (code: ExecutionErrorCode) => withRaw(failure(code), said, secrets);
  const useless = (code: ExecutionErrorCode, alert: string): Progress => ({
    state: 'refused',
    retryAfterMs: null,
    outcome: failed(code),
    alert,
  });
  const about = problem.safeParse(response.json).data;
  if (status === 400 || status === 413 || status === 415 || status === 422) {
    if (noSuchVersion.test(`${about?.title} ${about?.detail}`)) {
      return useless('MODEL_UNAVAILABLE', `the connection returned ${status}: there is no such version`);
    }
    const problems = inputProblems(about);
    const words = problems.map(({ text: one }) => one).join('; ') || (about?.detail ?? '');
    const fields = problems.map(({ field }) => field);
    return badRequest(
      response,
      { text: words, fields, code: null, kind: about?.title ?? '' },
      mapping,
      secrets,
    );
  }
  if (status === 429) {
    const requestedMs = refusedForMs(response);
    return { state: 'refused', retryAfterMs: requestedMs, outcome: failed('MODEL_OVERLOADED'), isBusy: true };
  }
  if (status === 404)
    return useless('MODEL_UNAVAILABLE', 'the connection returned 404: there is no such model');
  if (status === 503) return { state: 'unknown', outcome: failed('MODEL_UNAVAILABLE'), isBusy: true };
  if (status >= 500) return { state: 'unknown', outcome: failed('MODEL_UNAVAILABLE') };
  if (status >= 300)
    return useless(
      'SERVICE_UNAVAILABLE',
      `the connection returned ${status}: check its key, account and URL`,
    );
  return { state: 'unknown', outcome: withRaw(lost, said, secrets) };
}

export function refusedForMs({ json, headers }: HttpResponse): number {
  const inBody = problem.safeParse(json).data?.retry_after;
  return typeof inBody === 'number'
    ? Math.ceil(Math.min(inBody * 1000, maxRetryAfterMs))
    : retryAfterMs(headers, 1000);
}

/** From `invalid_fields`, else from lines such as `- input.prompt: is required`. Fields outside `input` are ours. */
function inputProblems(about: z.infer<typeof problem> | undefined): { text: string; field: FieldPath }[] {
  const { invalid_fields: fields = [], detail = '' } = about ?? {};
  const lines = detail.split('\n').map((line) => /^- ([\w.]+): (.*)$/.exec(line.trim()));
  const named =
    fields.length > 0
      ? fields
      : lines.map((found) => ({ field: found?.[1] ?? '', description: found?.[2] ?? '' }));
  return named
    .map(({ field, description }) => ({ path: field.split('.'), description }))
    .filter(({ path }) => path[0] === 'input')
    .map(({ path: [, ...path], description }) => ({
      text: [path.join('.'), description].filter((part) => part !== '').join(': '),
      field: path.length > 0 ? path : missing(description),
    }));
}

function missing(description: string): FieldPath {
  const name = /^(\w+) is required$/.exec(description)?.[1];
  return name === undefined ? [] : [name];
}
