import { type ErrorCode, errorCodes } from '@holdfast/domain/errors';

/** What a client can do about each code, in the order of the reference. */
const advice: Record<ErrorCode, string> = {
  INPUT_VALIDATION_ERROR:
    'correct the fields in `details`; for a failed execution, the `message` names the fields that the model refused',
  CONTENT_MODERATION_REJECTED: "the provider's moderation refused the input: change the input",
  FILE_NOT_FOUND: 'a `file_` reference is unknown, not yours, or not uploaded: upload it first',
  FILE_FORMAT_UNSUPPORTED: 'the model does not take this type of file',
  UNAUTHENTICATED: 'send `Authorization: Bearer <API key>`; the key may be revoked or expired',
  INSUFFICIENT_BALANCE: 'the hold exceeds the available balance: ask the operator for a top-up',
  SPEND_LIMIT_REACHED:
    "the hold would exceed the month's spend limit: ask the operator to raise it, or wait for the next month",
  FORBIDDEN:
    'the key may not do this: the message names the scope that is missing, or the model or address that the key may not use',
  NOT_FOUND: 'the id or path is unknown, or belongs to another organization',
  METHOD_NOT_ALLOWED: 'the `Allow` header lists the methods of this path',
  REQUEST_TIMEOUT: 'the body arrived too slowly: send it again',
  EXECUTION_NOT_READY: 'the result is not available yet: wait for the webhook, or request it again later',
  EXECUTION_NOT_COMPLETED: 'the execution ended without a result: read its `error`',
  EXECUTION_ALREADY_TERMINAL: 'the execution has ended and can no longer be cancelled',
  EXECUTION_NOT_TERMINAL: 'the execution is still open: cancel it before you erase it',
  BATCH_STATUS_CONFLICT: 'the status of the batch does not allow this: the message names the status',
  API_KEY_LIMIT_REACHED: 'an organization has at most 20 keys: revoke one',
  REVIEW_ALREADY_DECIDED:
    'for operators: someone decided about this cost before; the message has the decision',
  MODEL_CHANGED:
    'for operators: the model is another one than you saw: read it again, then repeat your change',
  EXECUTION_ERASED: 'the content of the execution was erased',
  PAYLOAD_TOO_LARGE: 'the body exceeds the limit in the message',
  UNSUPPORTED_MEDIA_TYPE: 'send an uncompressed body with `Content-Type: application/json`',
  IDEMPOTENCY_KEY_REUSED: 'this key was used with another body: use a new key for a new request',
  RATE_LIMITED: 'wait for the seconds in `Retry-After`',
  INTERNAL_ERROR: 'an error in the service: report it with its `request_id`',
  GENERATION_FAILED: 'the provider failed to produce an output',
  SERVICE_UNAVAILABLE: 'part of the service is unavailable: retry after the seconds in `Retry-After`',
  MODEL_OVERLOADED:
    'the provider is overloaded, and the execution could not wait for it; usually an execution waits',
  MODEL_UNAVAILABLE: 'no provider can run the model at the moment',
  GENERATION_TIMEOUT: 'there was no result, or no capacity, before `expires_at`',
  INSUFFICIENT_STORAGE: 'the file store is full: later, retry the upload or the request that uses the file',
};

export type ErrorRow = { code: ErrorCode; status: number; retryable: boolean; advice: string };

export const errorTable: readonly ErrorRow[] = (Object.keys(advice) as ErrorCode[]).map((code) => ({
  code,
  ...errorCodes[code],
  advice: advice[code],
}));
