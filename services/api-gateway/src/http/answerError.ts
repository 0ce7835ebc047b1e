import { isDatabaseUnavailable } from '@holdfast/db/unavailable';
import { ApiError } from '@holdfast/domain/errors';
import type { ErrorRequestHandler } from 'express';
import type { Context } from '../context.ts';
import { errorBody } from './errorBody.ts';
import { stateOf } from './requestState.ts';

/** The one place where an error becomes an answer. */
export function answerError({ log }: Pick<Context, 'log'>): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { requestId, match } = stateOf(response);
    if (request.errored || response.destroyed) {
      response.destroy(); // The client went away while it was sending: nobody is there to hear.
      return;
    }
    const apiError = toApiError(error);
    if (apiError.status >= 500) {
      const route = match.kind === 'endpoint' ? match.endpoint.path : undefined;
      log.error({ err: error, requestId, route }, 'request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Some clients hear no answer before all is said: the rest of the body is taken and forgotten.
    if (!request.complete) request.resume();
    response.set({ 'Cache-Control': 'no-store', ...apiError.headers });
    response.status(apiError.status).json(errorBody(apiError, requestId));
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseUnavailable(error)) {
    return new ApiError('SERVICE_UNAVAILABLE', 'The service cannot reach its database. Try again soon.', {
      headers: { 'Retry-After': '2' },
    });
  }
  return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.');
}
