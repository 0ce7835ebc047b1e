import type { ServerResponse } from 'node:http';
import type { ApiError } from '@holdfast/domain/errors';
import { falDetail, falErrorType, falRunStatus, isInputError } from '@holdfast/domain/falErrors';

export const requestIdHeader = 'x-fal-request-id';
/** Set before an error is thrown by who knows more than its code says. */
export const errorTypeHeader = 'x-fal-error-type';

/**
 * Once there is an execution, no error is a 502, 503 or 504, which fal's client for JavaScript repeats whatever it says. A
 * client that should wait on gets 429: both repeat that, and join the execution.
 */
export function falStatus({ code, status, headers }: ApiError, response: ServerResponse): number {
  if (!response.hasHeader(requestIdHeader) && !isInputError(code) && status !== 409) return status;
  return headers['x-should-retry'] === 'true' ? 429 : falRunStatus(code);
}

export type FalError = { detail: ReturnType<typeof falDetail>; error_type?: string };

export function falError({ code, message, details }: ApiError, response: ServerResponse): FalError {
  const detail = falDetail(code, message, details);
  if (!response.hasHeader(requestIdHeader)) return { detail };
  const type = response.getHeader(errorTypeHeader)?.toString() ?? falErrorType(code);
  response.setHeader(errorTypeHeader, type);
  return { detail, error_type: type };
}
