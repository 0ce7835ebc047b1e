import type { ServerResponse } from 'node:http';
import type { ApiError, ErrorCode } from '@holdfast/domain/errors';
import { toApiError } from '../../http/errors.ts';

type Shape = { type: string; code: string | null };

const invalidRequest = (code: string | null): Shape => ({ type: 'invalid_request_error', code });
const server = (code: string): Shape => ({ type: 'server_error', code });

/** `type` and `code` as OpenAI's clients and their users know them. */
const shapes: Record<ErrorCode, Shape> = {
  INPUT_VALIDATION_ERROR: invalidRequest(null),
  CONTENT_MODERATION_REJECTED: invalidRequest('content_policy_violation'),
  FILE_NOT_FOUND: invalidRequest('file_not_found'),
  FILE_FORMAT_UNSUPPORTED: invalidRequest('unsupported_file'),
  INSUFFICIENT_BALANCE: { type: 'insufficient_quota', code: 'insufficient_quota' },
  SPEND_LIMIT_REACHED: { type: 'insufficient_quota', code: 'insufficient_quota' },
  RATE_LIMITED: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  MODEL_OVERLOADED: server('model_overloaded'),
  MODEL_UNAVAILABLE: server('model_unavailable'),
  GENERATION_TIMEOUT: server('timeout'),
  GENERATION_FAILED: server('generation_failed'),
  SERVICE_UNAVAILABLE: server('service_unavailable'),
  INTERNAL_ERROR: server('internal_error'),
  UNAUTHENTICATED: invalidRequest('invalid_api_key'),
  FORBIDDEN: { type: 'permission_error', code: 'permission_denied' },
  NOT_FOUND: invalidRequest('not_found'),
  METHOD_NOT_ALLOWED: invalidRequest('method_not_allowed'),
  REQUEST_TIMEOUT: invalidRequest('request_timeout'),
  EXECUTION_NOT_READY: invalidRequest('not_ready'),
  EXECUTION_NOT_COMPLETED: invalidRequest('not_completed'),
  EXECUTION_ALREADY_TERMINAL: invalidRequest('already_ended'),
  EXECUTION_NOT_TERMINAL: invalidRequest('not_ended'),
  BATCH_STATUS_CONFLICT: invalidRequest('batch_status_conflict'),
  API_KEY_LIMIT_REACHED: invalidRequest('api_key_limit_reached'),
  REVIEW_ALREADY_DECIDED: invalidRequest('already_decided'),
  MODEL_CHANGED: invalidRequest('model_changed'),
  EXECUTION_ERASED: invalidRequest('erased'),
  PAYLOAD_TOO_LARGE: invalidRequest('payload_too_large'),
  UNSUPPORTED_MEDIA_TYPE: invalidRequest('unsupported_media_type'),
  IDEMPOTENCY_KEY_REUSED: invalidRequest('idempotency_key_reused'),
  INSUFFICIENT_STORAGE: server('insufficient_storage'),
};

export type OpenaiError = {
  error: { message: string; type: string; param: string | null; code: string | null };
};

/** @param code instead of the one that belongs to the error */
export function openaiError(error: ApiError, code: string | null = null): OpenaiError {
  const [first] = error.details;
  const shape = shapes[error.code];
  const messages = error.details.map(({ message }) => message.replaceAll('input.', ''));
  return {
    error: {
      message: messages.length > 0 ? messages.join(' ') : error.message,
      type: shape.type,
      param: first?.field.replace(/^input\./, '') ?? null,
      code: code ?? (first ? first.code.toLowerCase() : shape.code),
    },
  };
}

/** An error in the middle of a stream is an event. */
export function errorEvent(error: unknown): OpenaiError {
  return openaiError(toApiError(error));
}

/** Its clients repeat a request on 408, 409, 429 and 5xx unless they are told not to. */
export function openaiErrorBody(
  error: ApiError,
  response: ServerResponse,
  code: string | null = null,
): OpenaiError {
  // The rate limiter sets its own.
  const retryAfterS = Number(error.headers['Retry-After'] ?? response.getHeader('Retry-After'));
  const isUseless = !error.retryable && ![401, 404].includes(error.status);
  if (isUseless && error.headers['x-should-retry'] === undefined)
    response.setHeader('x-should-retry', 'false');
  if (Number.isFinite(retryAfterS)) response.setHeader('retry-after-ms', String(retryAfterS * 1000));
  return openaiError(error, code);
}
