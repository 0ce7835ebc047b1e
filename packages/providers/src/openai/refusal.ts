import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import { z } from 'zod';
import type { HttpResponse } from '../connection.ts';
import type { Progress, Submission } from '../interface.ts';
import { badRequest, failure, isAboutInput, reportedFailure } from '../outcome/failure.ts';
import { type FieldPath, readDetail } from '../outcome/field.ts';
import { rawText, responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { lost, retryAfterMs } from '../progress.ts';

/** LiteLLM writes `None` for an absent text. */
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null)
  .transform((value) => (value === 'None' ? null : value));
const errorFields = z.object({ message: text, type: text, param: text, code: text });
const noFields = { message: null, type: null, param: null, code: null };
const errorBody = z.object({
  error: z.union([
    z.string().transform((message) => ({ ...noFields, message })),
    errorFields,
    z.unknown().transform(() => noFields),
  ]),
  /** Text Generation Inference has it beside the text. */
  error_type: text,
});
/** Some versions of vLLM omit the outer `error`. */
const bareBody = errorFields.extend({ object: z.literal('error') });

type ErrorFields = z.infer<typeof errorFields>;

const moderation = /content_policy|content_filter|moderation|safety|cyber_policy/i;
/** About our account or key, whatever the status. LiteLLM without a database knows only one key. */
const ofAccount =
  /insufficient_quota|billing_hard_limit|no_db_connection|invalid_api_key|authentication_error/;
const badFile = /image_format|unsupported_image|invalid_image|image_parse|invalid_base64_image/;

/** Messages whose codes leave the cause open. */
const knownTexts: [RegExp, ExecutionErrorCode][] = [
  [/\blitellm\.ContentPolicyViolationError\b/, 'CONTENT_MODERATION_REJECTED'],
  [/^(invalid|unrecognized) file format\b/i, 'FILE_FORMAT_UNSUPPORTED'],
];

/** Fields of the request that are derived from other fields of the input. */
const sources: Readonly<Record<string, readonly string[]>> = {
  messages: ['messages', 'prompt', 'system'],
  input: ['input', 'prompt', 'messages'],
  instructions: ['instructions', 'system'],
  max_output_tokens: ['max_output_tokens', 'max_tokens'],
};

const maxKind = 200;

type Verdict = {
  code: ExecutionErrorCode;
  /** `again` and `useless`: not accepted, and a retry here may or cannot succeed. */
  means: 'again' | 'useless' | 'ended' | 'unknown' | 'bad request';
};

export function readRefusal(response: HttpResponse, submission: Submission, secrets: Secrets): Progress {
  const { mapping } = submission;
  const error = errorIn(response.json);
  const kind = kindOf(error, response.status);
  const { code, means } = verdictOf(response, kind);
  const said = responseText(response);
  if (means === 'bad request') {
    const detail = readDetail(response.json);
    const fields = [...paramOf(error), ...detail.fields].flatMap((path) => sourcesOf(path, submission));
    const report = { text: error.message ?? detail.text, fields, code: inputCode(error, kind), kind };
    return badRequest(response, report, mapping, secrets);
  }
  if (means === 'unknown') {
    const outcome = code === lost.code ? lost : failure(code);
    return { state: 'unknown', outcome: withRaw(outcome, said, secrets) };
  }
  if (means === 'ended') {
    const outcome = reportedFailure({ text: error.message ?? '', code, kind }, mapping, secrets, said);
    const isTheirFault = response.status >= 500 && !isAboutInput(outcome.code);
    return { state: 'ended', outcome, ...(isTheirFault && { isTheirFault }) };
  }
  const outcome = withRaw(failure(code), said, secrets);
  if (means === 'useless')
    return {
      state: 'refused',
      retryAfterMs: null,
      outcome,
      alert: rawText(alertOf(response, kind), secrets),
    };
  const refused = { state: 'refused', retryAfterMs: retryAfterMs(response.headers, 1000), outcome } as const;
  return response.status === 429 || response.status === 503 ? { ...refused, isBusy: true } : refused;
}

const overload = /rate_limit|overloaded|too_many_requests|server_busy|capacity/i;

/**
 * The end of a run by an error in its stream; null: the event is none. Before any output, an overload is a refusal, as it
 * would be by its HTTP status.
 */
export function streamedError(
  name: string,
  said: unknown,
  { mapping }: Pick<Submission, 'mapping'>,
  secrets: Secrets,
  isShown: boolean,
): Progress | null {
  const found = (said ?? {}) as { error?: unknown; object?: unknown };
  const isError = (found.error ?? null) !== null || found.object === 'error' || name === 'error';
  if (!isError) return null;
  const isWrapped = (found.error ?? null) !== null || found.object === 'error';
  const error = errorIn(isWrapped ? said : { error: said });
  const kind = kindOf(error, 0);
  const words = typeof said === 'string' ? said : JSON.stringify(said);
  const isOverload = overload.test(kind) || /\b(429|503|529)\b/.test(error.code ?? '');
  if (isOverload && !isShown) {
    const outcome = withRaw(failure('MODEL_OVERLOADED'), words, secrets);
    return { state: 'refused', retryAfterMs: 1000, outcome, isBusy: true };
  }
  const code = inputCode(error, kind) ?? (isOverload ? 'MODEL_OVERLOADED' : 'GENERATION_FAILED');
  const outcome = reportedFailure({ text: error.message ?? '', code, kind }, mapping, secrets, words);
  return { state: 'ended', outcome, ...(!isAboutInput(outcome.code) && { isTheirFault: true }) };
}

function verdictOf({ status, headers }: HttpResponse, kind: string): Verdict {
  const reported = headers['x-should-retry'];
  if ((status === 429 || isBad(status)) && ofAccount.test(kind))
    return { code: 'SERVICE_UNAVAILABLE', means: 'useless' };
  if (status === 409 || status === 429 || status === 503)
    return { code: 'MODEL_OVERLOADED', means: reported === 'false' ? 'useless' : 'again' };
  if (status === 500) return { code: 'GENERATION_FAILED', means: reported === 'true' ? 'again' : 'ended' };
  // From a proxy: the server behind it may continue.
  if (status === 408 || status === 504) return { code: 'GENERATION_TIMEOUT', means: 'unknown' };
  if (status > 500) return { code: 'GENERATION_FAILED', means: 'unknown' };
  if (status === 404 || status === 405) return { code: 'MODEL_UNAVAILABLE', means: 'useless' };
  return { code: 'SERVICE_UNAVAILABLE', means: isBad(status) ? 'bad request' : 'useless' };
}

function isBad(status: number): boolean {
  return status === 400 || status === 413 || status === 415 || status === 422;
}

function errorIn(json: unknown): ErrorFields {
  const { error = noFields, error_type: type } = errorBody.safeParse(json).data ?? {};
  const found = bareBody.safeParse(json).data ?? error;
  return { ...found, type: found.type ?? type ?? null };
}

/** Some servers repeat the status as the code. */
function kindOf({ code, type }: ErrorFields, status: number): string {
  const names = [code, type].filter((name) => name !== null && name !== String(status));
  return names.join(' ').slice(0, maxKind);
}

/** The code when the input is certainly at fault; null when that is not known. */
function inputCode({ message, type }: ErrorFields, kind: string): ExecutionErrorCode | null {
  if (moderation.test(kind)) return 'CONTENT_MODERATION_REJECTED';
  if (badFile.test(kind)) return 'FILE_FORMAT_UNSUPPORTED';
  if (type === 'validation') return 'INPUT_VALIDATION_ERROR';
  return knownTexts.find(([pattern]) => pattern.test(message ?? ''))?.[1] ?? null;
}

/** `messages.[0].content`, `image[1]` as a path. */
function paramOf({ param }: ErrorFields): FieldPath[] {
  const steps = (param ?? '').split(/[.[\]]+/).filter((step) => step !== '');
  return steps.length === 0 ? [] : [steps];
}

/** The input properties a field of the request may derive from; empty for fields that the model's options set. */
function sourcesOf([first = '', ...rest]: FieldPath, { options }: Submission): FieldPath[] {
  const name = String(first);
  const { body } = options;
  const isSet = body !== null && typeof body === 'object' && Object.hasOwn(body, name);
  if (isSet || name === 'model') return [];
  const written = Object.hasOwn(sources, name) ? sources[name] : undefined;
  return (written ?? [name]).map((source) => [source, ...rest]);
}

function alertOf({ status, headers }: HttpResponse, kind: string): string {
  const id = headers['x-request-id'];
  const words = kind === '' ? `${status}` : `${status} ${kind}`;
  return `the connection returned ${words}${typeof id === 'string' ? ` (request ${id})` : ''}`;
}
