import type { ExecutionErrorCode } from '@holdfast/domain/errorCodes';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Failure } from '@holdfast/domain/outcome';
import { z } from 'zod';
import type { Answer } from '../connection.ts';
import { failureFromText } from '../outcome/failure.ts';
import type { Secrets } from '../outcome/scrub.ts';

/** What went wrong, wherever it was said: in an answer, in the status of a run, in a webhook. */
export type Trouble = {
  /** The HTTP status of the model or of the platform; null when none was told. */
  status: number | null;
  /** Machine-readable: of the model's errors (`content_policy_violation`) and of the platform (`runner_...`). */
  types: string[];
  /** For people: `prompt: field required; ...`. */
  text: string;
};

const modelError = z.object({
  loc: z.array(z.union([z.string(), z.number()])).catch([]),
  msg: z.string().catch(''),
  type: z.string().catch(''),
});
const errorBody = z.object({
  detail: z.union([z.string(), z.array(modelError)]).catch([]),
  error_type: z.string().nullish().catch(null),
});

const codes = new Map<string, ExecutionErrorCode>(
  Object.entries({
    content_policy_violation: 'CONTENT_MODERATION_REJECTED',
    image_load_error: 'FILE_FORMAT_UNSUPPORTED',
    invalid_archive: 'FILE_FORMAT_UNSUPPORTED',
    file_download_error: 'GENERATION_FAILED',
    request_timeout: 'GENERATION_TIMEOUT',
    startup_timeout: 'GENERATION_TIMEOUT',
    generation_timeout: 'GENERATION_TIMEOUT',
    runner_server_error: 'GENERATION_FAILED',
    runner_incomplete_response: 'GENERATION_FAILED',
    client_disconnected: 'GENERATION_FAILED',
    client_cancelled: 'GENERATION_FAILED',
    internal_error: 'GENERATION_FAILED',
    internal_server_error: 'GENERATION_FAILED',
    bad_request: 'INPUT_VALIDATION_ERROR',
  } as const),
);
const codesByPattern: [RegExp, ExecutionErrorCode][] = [
  [/^unsupported_\w+_format$/, 'FILE_FORMAT_UNSUPPORTED'],
  [/^downstream_/, 'GENERATION_FAILED'],
  [/^runner_/, 'MODEL_UNAVAILABLE'],
];
/** Of these the words are about the client's input; of all others about a server. */
const shown: readonly ExecutionErrorCode[] = [
  'INPUT_VALIDATION_ERROR',
  'CONTENT_MODERATION_REJECTED',
  'FILE_FORMAT_UNSUPPORTED',
];

export function troubleOfAnswer({
  status,
  headers,
  json,
}: Pick<Answer, 'status' | 'headers' | 'json'>): Trouble {
  const header = headers['x-fal-error-type'];
  return { ...troubleOfBody(json, typeof header === 'string' ? header : null), status };
}

/** `error` is such as `Invalid status code: 422`; `payload` the body that the model answered with. */
export function troubleOfError(error: string | null, errorType: string | null, payload: unknown): Trouble {
  const status = /^\D*status code:? (\d{3})\b/i.exec(error ?? '')?.[1];
  const told = troubleOfBody(payload, errorType);
  const text = told.text === '' && status === undefined ? (error ?? '') : told.text;
  return { ...told, text, status: status === undefined ? null : Number(status) };
}

/** Whether it was said by the model or the platform about the run, in their own form, not by a proxy in between. */
export function isTold({ types }: Trouble): boolean {
  return types.length > 0;
}

/** `said`: all of it, for the operator. */
export function failureOf(
  trouble: Trouble,
  { errors }: OutcomeMapping,
  secrets: Secrets,
  said: string,
): Failure {
  const code = codeOf(trouble);
  return failureFromText(trouble.text, { code, shown: shown.includes(code) }, errors, secrets, said);
}

function codeOf({ status, types }: Trouble): ExecutionErrorCode {
  for (const type of types) {
    const code = codes.get(type) ?? codesByPattern.find(([pattern]) => pattern.test(type))?.[1];
    if (code !== undefined) return code;
  }
  return codeOfStatus(status);
}

function codeOfStatus(status: number | null): ExecutionErrorCode {
  if (status === 400 || status === 413 || status === 422) return 'INPUT_VALIDATION_ERROR';
  if (status === 401 || status === 402 || status === 403) return 'SERVICE_UNAVAILABLE';
  if (status === 404 || status === 405 || status === 503) return 'MODEL_UNAVAILABLE';
  if (status === 408 || status === 504) return 'GENERATION_TIMEOUT';
  return status === 429 ? 'MODEL_OVERLOADED' : 'GENERATION_FAILED';
}

function troubleOfBody(json: unknown, errorType: string | null): Omit<Trouble, 'status'> {
  const { detail, error_type } = errorBody.safeParse(json).data ?? { detail: [], error_type: null };
  const errors = typeof detail === 'string' ? [] : detail;
  const types = [...errors.map(({ type }) => type), errorType ?? '', error_type ?? ''];
  return {
    types: types.filter((type) => type !== ''),
    text: typeof detail === 'string' ? detail : errors.map(textOf).join('; '),
  };
}

function textOf({ loc, msg }: z.infer<typeof modelError>): string {
  const field = loc.filter((step) => step !== 'body').join('.');
  return field === '' ? msg : `${field}: ${msg}`;
}
