import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, finished } from 'node:stream';
import { type Fault, faultOf } from '@holdfast/db/faults';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { StoreFailedError } from '@holdfast/files/store';
import { http } from '@holdfast/kit/http';
import type { Logger } from '@holdfast/kit/logger';
import type { ErrorRequestHandler } from 'express';
import { isBodyWithheld } from './body.ts';
import { errorUrl } from './fields.ts';
import { type RequestState, stateOf } from './requestState.ts';
import { maxDetails } from './validate.ts';

/** How long to wait for each further step of a body that was refused, up to the size of the largest file. */
const drainTimeoutMs = 10_000;
const drainStepBytes = 262_144;

/** The body of an error: contract 10.1. */
export function errorBody(
  error: ApiError,
  { requestId, publicUrl }: Pick<RequestState, 'requestId' | 'publicUrl'>,
) {
  const { code, message, retryable, details } = error;
  return {
    error: {
      code,
      message,
      retryable,
      request_id: requestId,
      details: details.slice(0, maxDetails),
      doc_url: errorUrl(publicUrl, code),
    },
  };
}

/** The one place where an error becomes a response. */
export function respondError({ log }: { log: Logger }): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const state = stateOf(response);
    const { requestId, match, span } = state;
    if (request.errored || response.destroyed) {
      response.destroy(); // The client disconnected while it was sending.
      return;
    }
    const apiError = toApiError(error);
    // MODEL_UNAVAILABLE is a state of the catalogue, not a failure of the gateway.
    if (apiError.status >= 500 && apiError.code !== 'MODEL_UNAVAILABLE') {
      const route = match.kind === 'endpoint' ? match.endpoint.path : undefined;
      log.error({ err: error, requestId, route, traceId: span?.traceId }, 'request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendError(response, apiError);
  };
}

/** `ownStatus`: where the code has a more specific one. */
export function sendError(response: ServerResponse, error: ApiError, ownStatus?: number): void {
  const { req: request } = response;
  const state = stateOf(response);
  const status = ownStatus ?? state.face?.errorStatus?.(error, response) ?? error.status;
  const body = JSON.stringify(state.face?.errorBody(error, state, response) ?? errorBody(error, state));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeaders(new Map(Object.entries(error.headers)));
  const closesConnection = error.headers['Connection'] === 'close' || isBodyWithheld(request);
  if (request.complete || closesConnection) response.end(body);
  else respondBeforeBodyEnd(request, response, body);
}

/**
 * Some clients read no response before they have sent the whole body, and closing the connection would lose it. So the
 * response is written at once and ended when the rest of the body has been read and dropped, or after a timeout.
 */
function respondBeforeBodyEnd(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  const timeout = setTimeout(() => response.end(() => request.socket.destroySoon()), drainTimeoutMs);
  let drainedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    const stepsBefore = Math.floor(drainedBytes / drainStepBytes);
    drainedBytes += chunk.length;
    const isNextStep = Math.floor(drainedBytes / drainStepBytes) > stepsBefore;
    if (isNextStep && drainedBytes <= limits.maxFileBytes) timeout.refresh();
  });
  finished(request, { writable: false }, () => {
    clearTimeout(timeout);
    response.end();
  });
  request.resume();
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreFailedError) return storeApiError(error);
  // The router could not decode the path.
  if (error instanceof URIError) return pathNotFound();
  const fault = faultOf(error);
  const reason = fault && transientFaults[fault];
  if (!reason) return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.');
  const headers = { 'Retry-After': '2' };
  return new ApiError('SERVICE_UNAVAILABLE', `${reason} Try again shortly.`, { headers });
}

/** A full store is emptied by an operator or by expiring files, so it takes longer than an unreachable one. */
function storeApiError({ isFull }: StoreFailedError): ApiError {
  return isFull
    ? new ApiError('INSUFFICIENT_STORAGE', 'The file store is full. Try again later.', {
        headers: { 'Retry-After': '60' },
      })
    : new ApiError('SERVICE_UNAVAILABLE', 'The service cannot reach its file store. Try again shortly.', {
        headers: { 'Retry-After': '2' },
      });
}

/** Null: retrying the same request would fail the same way. */
const transientFaults: Record<Fault, string | null> = {
  unreachable: 'The service cannot reach its database.',
  'not trusted': 'The service cannot reach its database.',
  'read-only': 'The database does not accept changes at the moment.',
  exhausted: 'The database is out of resources at the moment.',
  conflict: 'Another request was changing the same data.',
  slow: 'The database took too long.',
  rejected: null,
};

/** Responds to what Node could not parse as HTTP (`clientError`), and to an invalid head, with an error of the API. */
export function respondBrokenRequest(maxPerMinute: number) {
  return (error: Error, socket: Duplex): void => {
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy();
      return;
    }
    respondOnSocket(socket, brokenRequestError(error), maxPerMinute);
  };
}

/** Refuses CONNECT, which Node hands over as a bare socket: the gateway is not a proxy. */
export function refuseConnect(maxPerMinute: number) {
  return (_request: IncomingMessage, socket: Duplex): void => {
    const error = methodNotAllowed(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
    respondOnSocket(socket, error, maxPerMinute);
  };
}

export const pathNotFound = () => new ApiError('NOT_FOUND', 'There is nothing at this path.');

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  const headers = { Allow: allowed.join(', ') };
  return new ApiError('METHOD_NOT_ALLOWED', `Allowed methods: ${headers.Allow}.`, { headers });
}

function respondOnSocket(socket: Duplex, error: ApiError, maxPerMinute: number): void {
  const requestId = newId('req');
  const body = JSON.stringify(errorBody(error, { requestId, publicUrl: '' }));
  const head = [
    `HTTP/1.1 ${error.status} ${http.STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `X-RateLimit-Limit: ${maxPerMinute}`,
    `X-RateLimit-Remaining: ${maxPerMinute}`,
    `X-RateLimit-Reset: ${Math.ceil((Date.now() + limits.rateLimitWindowMs) / 1000)}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function brokenRequestError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  if ('code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
  }
  if ('code' in error && error.code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('PAYLOAD_TOO_LARGE', 'The request headers are too large.');
  }
  return new ApiError('INPUT_VALIDATION_ERROR', 'The request is not valid HTTP.');
}
