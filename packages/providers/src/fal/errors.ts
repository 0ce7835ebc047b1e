import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import type { OutcomeMapping } from '@holdfast/domain/outcome';
import { z } from 'zod';
import type { HttpResponse } from '../connection.ts';
import type { Ended, Progress } from '../interface.ts';
import { badRequest, failure, reportedFailure, ruledFailure } from '../outcome/failure.ts';
import { clientField, type FieldPath } from '../outcome/field.ts';
import { responseText, type Secrets, withRaw } from '../outcome/raw.ts';
import { lost, retryAfterMs } from '../progress.ts';

export type FalError = {
  /** The model's or the platform's; null when unknown. */
  status: number | null;
  /** Error types of the model (`content_policy_violation`) and of the platform (`runner_...`). */
  types: string[];
  text: string;
  fields: FieldPath[];
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

const maxKind = 200;

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
  } as const),
);
const codesByPattern: [RegExp, ExecutionErrorCode][] = [
  [/^unsupported_\w+_format$/, 'FILE_FORMAT_UNSUPPORTED'],
  [/^downstream_/, 'GENERATION_FAILED'],
  [/^runner_/, 'MODEL_UNAVAILABLE'],
];
export function falErrorInResponse({
  status,
  headers,
  json,
}: Pick<HttpResponse, 'status' | 'headers' | 'json'>): FalError {
  const header = headers['x-fal-error-type'];
  return { ...falErrorInBody(json, typeof header === 'string' ? header : null), status };
}

/** `error`: such as `Invalid status code: 422`; `payload`: the body of the model's response. */
export function falErrorOf(error: string | null, errorType: string | null, payload: unknown): FalError {
  const status = /^\D*status code:? (\d{3})\b/i.exec(error ?? '')?.[1];
  const reported = falErrorInBody(payload, errorType);
  const text = reported.text === '' && status === undefined ? (error ?? '') : reported.text;
  return { ...reported, text, status: status === undefined ? null : Number(status) };
}

/** Whether the model or the platform reported it, not a proxy in between. */
export function isReported({ types }: FalError): boolean {
  return types.length > 0;
}

/** `said`: the whole response, for the operator. */
export function failedBy(falError: FalError, mapping: OutcomeMapping, secrets: Secrets, said: string): Ended {
  const outcome = reportedFailure({ ...falError, code: codeOf(falError, mapping) }, mapping, secrets, said);
  const { status, types } = falError;
  const isOperators = outcome.code === 'SERVICE_UNAVAILABLE' || outcome.code === 'MODEL_UNAVAILABLE';
  if (status === null || status >= 500 || !isOperators || ruledFailure(falError, mapping, secrets) !== null)
    return { state: 'ended', outcome };
  const kind = types.join(' ').slice(0, maxKind);
  const alert = `the connection returned ${`${status} ${kind}`.trim()} to a run that it had accepted: check its key, its balance and the model's options`;
  return { state: 'ended', outcome, alert };
}

export function typedCode({ types }: FalError): ExecutionErrorCode | null {
  const known = types.map(
    (type) => codes.get(type) ?? codesByPattern.find(([pattern]) => pattern.test(type))?.[1] ?? null,
  );
  return known.find((code) => code !== null) ?? null;
}

export function codeOf(falError: FalError, mapping: OutcomeMapping): ExecutionErrorCode {
  const { status, fields } = falError;
  const isClients = fields.some((path) => clientField(path, mapping) !== null);
  return (
    typedCode(falError) ?? (isBad(status) && isClients ? 'INPUT_VALIDATION_ERROR' : codeOfStatus(status))
  );
}

/** The body decides whether the input is at fault. */
export function isBad(status: number | null): boolean {
  return status === 400 || status === 413 || status === 415 || status === 422;
}

function codeOfStatus(status: number | null): ExecutionErrorCode {
  if (status === 413) return 'INPUT_VALIDATION_ERROR';
  if (status === 401 || status === 402 || status === 403) return 'SERVICE_UNAVAILABLE';
  if (isBad(status) || status === 404 || status === 405 || status === 503) return 'MODEL_UNAVAILABLE';
  if (status === 408 || status === 504) return 'GENERATION_TIMEOUT';
  return status === 429 ? 'MODEL_OVERLOADED' : 'GENERATION_FAILED';
}

function falErrorInBody(json: unknown, errorType: string | null): Omit<FalError, 'status'> {
  const { detail, error_type } = errorBody.safeParse(json).data ?? { detail: [], error_type: null };
  const errors = typeof detail === 'string' ? [] : detail;
  const types = [...errors.map(({ type }) => type), errorType ?? '', error_type ?? ''];
  return {
    types: types.filter((type) => type !== ''),
    text: typeof detail === 'string' ? detail : errors.map(textOf).join('; '),
    fields: errors.map(({ loc }) => fieldOf(loc)),
  };
}

function textOf({ loc, msg }: z.infer<typeof modelError>): string {
  const field = fieldOf(loc).join('.');
  return field === '' ? msg : `${field}: ${msg}`;
}

function fieldOf(loc: FieldPath): FieldPath {
  return loc.filter((step) => step !== 'body');
}

export function readRefusal(response: HttpResponse, mapping: OutcomeMapping, secrets: Secrets): Progress {
  const { status, headers } = response;
  const said = responseText(response);
  const falError = falErrorInResponse(response);
  if (isBad(status)) {
    const report = { ...falError, code: typedCode(falError), kind: falError.types.join(' ') };
    return badRequest(response, report, mapping, secrets);
  }
  const outcome = reportedFailure({ ...falError, code: codeOf(falError, mapping) }, mapping, secrets, said);
  if (status === 408 || status === 429 || status === 503) {
    if (headers['x-fal-retryable'] === 'false') return { state: 'refused', retryAfterMs: null, outcome };
    const refused = { state: 'refused', retryAfterMs: retryAfterMs(headers, 1000), outcome } as const;
    return status === 408 ? refused : { ...refused, isBusy: true };
  }
  if (status === 504) return { state: 'unknown', outcome };
  // It may be queued nevertheless.
  if (status >= 500 || status < 300) return { state: 'unknown', outcome: withRaw(lost, said, secrets) };
  const alert =
    outcome.code === 'MODEL_UNAVAILABLE'
      ? `the model's address returned ${status}`
      : `the connection returned ${status}: check its URL, its key and its balance`;
  const code = outcome.code === 'MODEL_UNAVAILABLE' ? outcome.code : 'SERVICE_UNAVAILABLE';
  return { state: 'refused', retryAfterMs: null, outcome: withRaw(failure(code), said, secrets), alert };
}
