import type { Batch, Execution, KnownExecution } from './types.ts';

export type ErrorDetail = { field: string; code: string; message: string };

type Facts = {
  code: string;
  message: string;
  retryable?: boolean;
  requestId?: string | null;
  details?: readonly ErrorDetail[];
  docUrl?: string | null;
  cause?: unknown;
};

/** Every error of this library. */
export class HoldfastError extends Error {
  override name = 'HoldfastError';
  /** A code of the API (`INSUFFICIENT_BALANCE`), or one of this library (`CONNECTION_FAILED`). */
  readonly code: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Include it in reports of a problem. */
  readonly requestId: string | null;
  /** The fields of the request that are wrong. */
  readonly details: readonly ErrorDetail[];
  /** Where the reference describes the code, if the service says so. */
  readonly docUrl: string | null;
  /** The key of the run or create that failed. Repeat it with this key, and it is accepted at most once. */
  idempotencyKey: string | null = null;
  /** The input of the run that failed, with the ids of its files if they were uploaded. Not in logs: it is not enumerable. */
  // oxlint-disable-next-line typescript/no-explicit-any -- fits the input of any model, to repeat the run
  declare input: any;
  /** The execution, once it is known: as it was when it was last read. */
  execution: KnownExecution | null = null;
  /** The batch of a run that failed, once it is known: run it again with its `id`. */
  batch: Batch | null = null;

  constructor({ code, message, retryable = false, requestId = null, details = [], docUrl, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.requestId = requestId;
    this.details = details;
    this.docUrl = docUrl ?? null;
    Object.defineProperty(this, 'input', { value: null, writable: true });
  }
}

/** The API refused a request. */
export class ApiError extends HoldfastError {
  override name = 'ApiError';
  readonly status: number;
  readonly headers: Headers;

  constructor(facts: Facts, response: Pick<Response, 'status' | 'headers'>) {
    super(facts);
    this.status = response.status;
    this.headers = response.headers;
  }
}

/** 400, 405, 413, 415: the request is wrong; `details` names the fields. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}
/** 401: the API key is missing, wrong, expired or revoked. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}
/** 402: the balance or the spend limit is too low. */
export class BalanceError extends ApiError {
  override name = 'BalanceError';
}
/** 403: the API key may not do this. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}
/** 404: the id is unknown, or belongs to another organization. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** 409, 410: the state of the resource does not allow this. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 422: the idempotency key was used with another body. */
export class IdempotencyKeyReusedError extends ApiError {
  override name = 'IdempotencyKeyReusedError';
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}
/** 408 and 5xx: the service could not process the request. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** There was no usable response: the request may or may not have been processed. */
export class ConnectionError extends HoldfastError {
  override name = 'ConnectionError';
  /** Whether the request certainly did not reach the service. */
  readonly isUnsent: boolean;

  constructor(facts: Omit<Facts, 'retryable'> & { isUnsent?: boolean }) {
    super({ ...facts, retryable: true });
    this.isUnsent = facts.isUnsent ?? false;
  }
}

/** The wait was longer than `timeout`. The execution runs on: `client.executions.wait(error.execution.id)` resumes. */
export class WaitTimeoutError extends HoldfastError {
  override name = 'WaitTimeoutError';
  declare execution: KnownExecution;

  constructor(execution: KnownExecution, message: string) {
    super({ code: 'WAIT_TIMED_OUT', message, retryable: true });
    this.execution = execution;
  }
}

/** The `signal` was aborted. The execution, if there is one, runs on unless `cancelOnAbort` was set. */
export class AbortedError extends HoldfastError {
  override name = 'AbortError';

  constructor(cause: unknown) {
    super({ code: 'ABORTED', message: 'The call was aborted.', cause });
  }
}

/**
 * The execution ended without a result: it failed, expired or was cancelled. It costs nothing, unless a stream was cancelled
 * whose model charges what it has shown (`on_cancel`).
 */
export class ExecutionError extends HoldfastError {
  override name = 'ExecutionError';
  declare execution: Execution;

  constructor(execution: Execution) {
    const { code, message, retryable, doc_url: docUrl } = execution.error ?? {};
    super({
      code: code ?? `EXECUTION_${execution.status}`,
      message: message || `The execution ${execution.id} is ${execution.status}.`,
      retryable: retryable ?? false,
      ...(docUrl !== undefined && { docUrl }),
    });
    this.execution = execution;
  }
}

/** The body is not from your Holdfast, was changed, or is too old. */
export class WebhookVerificationError extends HoldfastError {
  override name = 'WebhookVerificationError';

  constructor(message: string) {
    super({ code: 'INVALID_SIGNATURE', message });
  }
}

type ApiErrorClass = new (facts: Facts, response: Pick<Response, 'status' | 'headers'>) => ApiError;

const classes: Readonly<Record<number, ApiErrorClass>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: BalanceError,
  403: PermissionError,
  404: NotFoundError,
  405: InvalidRequestError,
  408: ServerError,
  409: ConflictError,
  410: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: IdempotencyKeyReusedError,
  429: RateLimitError,
};

/** The error in a response. `text` may come from a proxy and be anything. */
export function errorOf(response: Response, text: string): ApiError {
  const { status, headers } = response;
  const Class = classes[status] ?? (status >= 500 ? ServerError : ApiError);
  const requestId = headers.get('x-request-id');
  const reported = readError(text);
  if (reported) return new Class({ requestId, ...reported }, response);
  const retryable = status === 408 || status === 429 || status >= 500;
  const message = `HTTP ${status} without an error of the API.`;
  return new Class({ code: `HTTP_${status}`, message, retryable, requestId }, response);
}

function readError(text: string): Facts | null {
  const error = (parse(text) as { error?: Record<string, unknown> } | null)?.error;
  if (typeof error?.['code'] !== 'string') return null;
  const { request_id: requestId, details, doc_url: docUrl } = error;
  return {
    code: error['code'],
    message: typeof error['message'] === 'string' ? error['message'] : error['code'],
    retryable: error['retryable'] === true,
    ...(typeof requestId === 'string' && { requestId }),
    ...(typeof docUrl === 'string' && { docUrl }),
    details: Array.isArray(details) ? (details as ErrorDetail[]) : [],
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
