/** Contract 10.2: codes that executions fail with and requests are refused with. */
export const executionErrors = {
  INPUT_VALIDATION_ERROR: { status: 400, retryable: false },
  CONTENT_MODERATION_REJECTED: { status: 400, retryable: false },
  FILE_NOT_FOUND: { status: 400, retryable: false },
  FILE_FORMAT_UNSUPPORTED: { status: 400, retryable: false },
  INSUFFICIENT_BALANCE: { status: 402, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  MODEL_OVERLOADED: { status: 503, retryable: true },
  MODEL_UNAVAILABLE: { status: 503, retryable: true },
  GENERATION_TIMEOUT: { status: 504, retryable: true },
  GENERATION_FAILED: { status: 500, retryable: true },
  SERVICE_UNAVAILABLE: { status: 503, retryable: true },
  INTERNAL_ERROR: { status: 500, retryable: false },
} as const;

/** Contract 10.3: codes that only requests are refused with. */
const requestErrors = {
  UNAUTHENTICATED: { status: 401, retryable: false },
  SPEND_LIMIT_REACHED: { status: 402, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false },
  REQUEST_TIMEOUT: { status: 408, retryable: true },
  EXECUTION_NOT_READY: { status: 409, retryable: true },
  EXECUTION_NOT_COMPLETED: { status: 409, retryable: false },
  EXECUTION_ALREADY_TERMINAL: { status: 409, retryable: false },
  EXECUTION_NOT_TERMINAL: { status: 409, retryable: false },
  BATCH_STATUS_CONFLICT: { status: 409, retryable: false },
  API_KEY_LIMIT_REACHED: { status: 409, retryable: false },
  REVIEW_ALREADY_DECIDED: { status: 409, retryable: false },
  MODEL_CHANGED: { status: 409, retryable: false },
  EXECUTION_ERASED: { status: 410, retryable: false },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false },
  IDEMPOTENCY_KEY_REUSED: { status: 422, retryable: false },
  INSUFFICIENT_STORAGE: { status: 507, retryable: true },
} as const;

export const errorCodes = { ...executionErrors, ...requestErrors } as const;

export type ExecutionErrorCode = keyof typeof executionErrors;
export type ErrorCode = keyof typeof errorCodes;

export function isExecutionErrorCode(value: string): value is ExecutionErrorCode {
  return Object.hasOwn(executionErrors, value);
}

export type ErrorDetail = { field: string; code: string; message: string };

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
