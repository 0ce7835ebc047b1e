import type { ServerResponse } from 'node:http';
import type { ApiError, ErrorCode, ErrorDetail } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';

export const requestIdHeader = 'x-fal-request-id';

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

export function errorType(code: ErrorCode): string {
  return types[code] ?? 'bad_request';
}

const isInputs = ({ code }: ApiError) =>
  ['INPUT_VALIDATION_ERROR', 'CONTENT_MODERATION_REJECTED', 'FILE_FORMAT_UNSUPPORTED'].includes(code);

/**
 * Once there is an execution, no error is a 502, 503 or 504, which fal's client for JavaScript repeats whatever it says. A
 * client that should wait on gets 429: both repeat that, and join the execution.
 */
export function falStatus(error: ApiError, response: ServerResponse): number {
  if (isInputs(error)) return 422;
  // Python's client repeats 409.
  if (error.status === 409) return 400;
  if (!response.hasHeader(requestIdHeader) || error.status < 500) return error.status;
  return error.headers['x-should-retry'] === 'true' ? 429 : 500;
}

export type FalError = { detail: string | FieldError[]; error_type?: string };
type FieldError = { loc: (string | number)[]; msg: string; type: string };

export function falError(error: ApiError, response: ServerResponse): FalError {
  const type = errorType(error.code);
  const isRun = response.hasHeader(requestIdHeader);
  if (isRun) response.setHeader('x-fal-error-type', type);
  const fields = error.details.map(fieldError);
  const input = fields.length > 0 ? fields : [{ loc: ['body'], msg: error.message, type }];
  return { detail: isInputs(error) ? input : error.message, ...(isRun && { error_type: type }) };
}

function fieldError({ field, code, message }: ErrorDetail): FieldError {
  const steps = field.replace(/^input\.?/, '').match(/[^.[\]]+/g) ?? [];
  const loc = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return {
    loc: field === 'body' ? loc : ['body', ...loc],
    msg: message.replaceAll('input.', ''),
    type: code === 'REQUIRED' ? 'missing' : 'value_error',
  };
}

/** What the status of an ended execution says beside `COMPLETED`. */
export function failureOf({ status, errorCode, errorMessage }: Execution) {
  if (status === 'COMPLETED') return {};
  if (status === 'CANCELLED') return { error: 'The request was cancelled.', error_type: 'client_cancelled' };
  const type = errorType(errorCode ?? 'GENERATION_FAILED');
  return { error: errorMessage ?? 'The run failed.', error_type: type };
}
