import type { ServerResponse } from 'node:http';
import type { ApiError } from '@holdfast/domain/errors';
import {
  falDetail,
  falErrorType,
  falFailure,
  falRunStatus,
  isInputError,
  startupTimeout,
} from '@holdfast/domain/falErrors';
import { FailedRun } from '../run.ts';

export const requestIdHeader = 'x-fal-request-id';

const failureOf = (error: ApiError) => (error instanceof FailedRun ? falFailure(error.execution) : null);

/**
 * Once there is an execution, no error is a 502, 503 or 504 that fal's client for JavaScript repeats whatever it says. A client
 * that should wait on gets 429: both repeat that, and join the execution.
 */
export function falStatus(error: ApiError, response: ServerResponse): number {
  const { code, status, headers } = error;
  if (!response.hasHeader(requestIdHeader) && !isInputError(code) && status !== 409) return status;
  return failureOf(error)?.status ?? (headers['x-should-retry'] === 'true' ? 429 : falRunStatus(code));
}

export type FalError = { detail: ReturnType<typeof falDetail>; error_type?: string };

export function falError(error: ApiError, response: ServerResponse): FalError {
  const { code, message, details } = error;
  const failure = failureOf(error);
  const detail = falDetail(code, failure?.error ?? message, details);
  if (!response.hasHeader(requestIdHeader)) return { detail };
  const type = failure?.error_type ?? falErrorType(code);
  // Once a stream has begun, its events alone say so.
  if (!response.headersSent) {
    response.setHeader('x-fal-error-type', type);
    if (type === startupTimeout) response.setHeader('x-fal-request-timeout-type', 'user');
  }
  return { detail, error_type: type };
}
