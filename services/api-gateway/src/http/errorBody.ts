import type { ApiError } from '@holdfast/domain/errors';

/** Problems that an answer names: a body can have very many. */
export const maxDetails = 100;

/** Spec, "Errors". */
export function errorBody(error: ApiError, requestId: string) {
  const { code, message, retryable, details } = error;
  return {
    error: { code, message, retryable, request_id: requestId, details: details.slice(0, maxDetails) },
  };
}
