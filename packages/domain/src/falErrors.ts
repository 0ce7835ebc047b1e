import { type ErrorCode, type ErrorDetail, errorCodes } from './errors.ts';
import type { Execution } from './execution.ts';

/** fal's words for what goes wrong with a run; `bad_request` for all else. */
const types: Partial<Record<ErrorCode, string>> = {
  CONTENT_MODERATION_REJECTED: 'content_policy_violation',
  FILE_FORMAT_UNSUPPORTED: 'image_load_error',
  FILE_NOT_FOUND: 'file_download_error',
  GENERATION_TIMEOUT: 'generation_timeout',
  GENERATION_FAILED: 'internal_server_error',
  MODEL_OVERLOADED: 'downstream_service_unavailable',
  MODEL_UNAVAILABLE: 'downstream_service_unavailable',
  SERVICE_UNAVAILABLE: 'internal_error',
  INTERNAL_ERROR: 'internal_error',
};

export function falErrorType(code: ErrorCode): string {
  return types[code] ?? 'bad_request';
}

export function isInputError(code: ErrorCode): boolean {
  return ['INPUT_VALIDATION_ERROR', 'CONTENT_MODERATION_REJECTED', 'FILE_FORMAT_UNSUPPORTED'].includes(code);
}

/** The status of an error once there is an execution: none that a client repeats. */
export function falRunStatus(code: ErrorCode): number {
  if (isInputError(code)) return 422;
  const { status } = errorCodes[code];
  // Python's client repeats 409, and JavaScript's 502 to 504, whatever they say.
  if (status === 409) return 400;
  return status < 500 ? status : 500;
}

type FieldError = { loc: (string | number)[]; msg: string; type: string };

export function falDetail(
  code: ErrorCode,
  message: string,
  details: readonly ErrorDetail[] = [],
): string | FieldError[] {
  if (!isInputError(code)) return message;
  const whole = { loc: ['body'], msg: message, type: falErrorType(code) };
  return details.length > 0 ? details.map(fieldError) : [whole];
}

function fieldError({ field, code, message }: ErrorDetail): FieldError {
  if (field === 'webhook_url')
    return { loc: ['query', 'fal_webhook'], msg: message.replace(field, 'fal_webhook'), type: 'value_error' };
  const steps = field.replace(/^input\.?/, '').match(/[^.[\]]+/g) ?? [];
  const loc = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return {
    loc: field === 'body' ? loc : ['body', ...loc],
    msg: message.replaceAll('input.', ''),
    type: code === 'REQUIRED' ? 'missing' : 'value_error',
  };
}

export type FalFailure = { code: ErrorCode; error: string; error_type: string; status: number };

/** The type of a request that did not start within its client's limit. Clients do not repeat a 504 that says so. */
export const startupTimeout = 'startup_timeout';

const notStarted = 'The request did not start within its time limit.';

/** How an execution failed; null: it did not. */
export function falFailure({
  status,
  errorCode,
  errorMessage,
  startedAt,
  runTimeoutS,
}: Pick<
  Execution,
  'status' | 'errorCode' | 'errorMessage' | 'startedAt' | 'runTimeoutS'
>): FalFailure | null {
  if (status === 'COMPLETED') return null;
  const code = errorCode ?? 'GENERATION_FAILED';
  const failure = { code, status: falRunStatus(code), error_type: falErrorType(code) };
  if (status === 'CANCELLED')
    return { ...failure, error: 'The request was cancelled.', error_type: 'client_cancelled' };
  if (status === 'EXPIRED' && startedAt === null && runTimeoutS !== null)
    return { ...failure, error: notStarted, error_type: startupTimeout, status: 504 };
  return { ...failure, error: errorMessage ?? 'The run failed.' };
}
