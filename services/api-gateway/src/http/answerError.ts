import { finished } from 'node:stream';
import { type Fault, faultOf } from '@holdfast/db/faults';
import { ApiError } from '@holdfast/domain/errors';
import { StoreFailedError } from '@holdfast/files/store';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Context } from '../context.ts';
import { errorBody } from './errorBody.ts';
import { isBodyWithheld } from './readBody.ts';
import { stateOf } from './requestState.ts';

/** How long the rest of a refused body is waited for. */
const patienceMs = 10_000;

/** The one place where an error becomes an answer. */
export function answerError({ log }: Pick<Context, 'log'>): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { requestId, match, span } = stateOf(response);
    if (request.errored || response.destroyed) {
      response.destroy(); // The client went away while it was sending: nobody is there to hear.
      return;
    }
    const apiError = toApiError(error);
    // What a client is told of a model is no failure of ours.
    if (apiError.status >= 500 && apiError.code !== 'MODEL_UNAVAILABLE') {
      const route = match.kind === 'endpoint' ? match.endpoint.path : undefined;
      log.error({ err: error, requestId, route, traceId: span?.traceId }, 'request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.set({ 'Cache-Control': 'no-store', ...apiError.headers });
    response.status(apiError.status);
    const body = errorBody(apiError, requestId);
    const isLast = apiError.headers['Connection'] === 'close' || isBodyWithheld(request);
    if (request.complete || isLast) response.json(body);
    else answerEarly(request, response, JSON.stringify(body));
  };
}

/**
 * Some clients hear no answer before all is said: the rest of the body is taken and forgotten. The answer is sent at
 * once and ended with the body, for where the connection closes with the answer, what is still coming would break it. A
 * body without an end loses its connection.
 */
function answerEarly(request: Request, response: Response, body: string): void {
  response.type('json').set('Content-Length', String(Buffer.byteLength(body)));
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  const patience = setTimeout(() => response.end(() => request.socket.destroySoon()), patienceMs);
  finished(request, { writable: false }, () => {
    clearTimeout(patience);
    response.end();
  });
  request.resume();
}

/** What the answer to a request that failed with this error says. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreFailedError) return ofStore(error);
  const fault = faultOf(error);
  const reason = fault && passingFaults[fault];
  if (!reason) return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.');
  const headers = { 'Retry-After': '2' };
  return new ApiError('SERVICE_UNAVAILABLE', `${reason} Try again soon.`, { headers });
}

/** Room is made by an operator, or by files that expire: not within seconds. */
function ofStore({ isFull }: StoreFailedError): ApiError {
  return isFull
    ? new ApiError('INSUFFICIENT_STORAGE', 'There is no room for more files. Try again later.', {
        headers: { 'Retry-After': '60' },
      })
    : new ApiError('SERVICE_UNAVAILABLE', 'The service cannot reach its file store. Try again soon.', {
        headers: { 'Retry-After': '2' },
      });
}

/** Null: the same request would meet it again. */
const passingFaults: Record<Fault, string | null> = {
  unreachable: 'The service cannot reach its database.',
  'not trusted': 'The service cannot reach its database.',
  'read-only': 'The database does not accept changes at the moment.',
  exhausted: 'The database is out of resources at the moment.',
  conflict: 'Another request was changing the same data.',
  slow: 'The database took too long.',
  refused: null,
};
