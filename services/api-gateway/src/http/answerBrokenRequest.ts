import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { errorBody } from './errorBody.ts';

/** Answers what Node could not read as HTTP at all (`clientError`), in the API's own words. */
export function answerBrokenRequest(perMinute: number) {
  return (error: Error, socket: Duplex): void => {
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy();
      return;
    }
    answerBare(socket, toApiError(error), perMinute);
  };
}

/** Node hands CONNECT over as a bare socket: this is no proxy, and says so. */
export function refuseConnect(perMinute: number) {
  return (_request: IncomingMessage, socket: Duplex): void => {
    const headers = { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' };
    answerBare(
      socket,
      new ApiError('METHOD_NOT_ALLOWED', `Allowed here: ${headers.Allow}.`, { headers }),
      perMinute,
    );
  };
}

function answerBare(socket: Duplex, refusal: ApiError, perMinute: number): void {
  const requestId = newId('req');
  const body = JSON.stringify(errorBody(refusal, requestId));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `X-RateLimit-Limit: ${perMinute}`,
    `X-RateLimit-Remaining: ${perMinute}`,
    `X-RateLimit-Reset: ${Math.ceil((Date.now() + limits.rateLimitWindowMs) / 1000)}`,
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function toApiError(error: Error): ApiError {
  if ('code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
  }
  if ('code' in error && error.code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('PAYLOAD_TOO_LARGE', 'The headers of the request are too large.');
  }
  return new ApiError('INPUT_VALIDATION_ERROR', 'The request is not valid HTTP.');
}
