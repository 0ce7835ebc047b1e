import { type ErrorCode, errorCodes } from './errorCodes.ts';

export type ErrorDetail = { field: string; code: string; message: string };

/** A refusal from the spec's error table; the gateway renders it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[];
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  get retryable(): boolean {
    return errorCodes[this.code].retryable;
  }
}

export function invalidField(field: string, code: string, message: string): ApiError {
  return new ApiError('INPUT_VALIDATION_ERROR', message, { details: [{ field, code, message }] });
}
