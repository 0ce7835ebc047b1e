import type { Request, Response } from 'express';
import { hasToken } from '../access/callers.ts';
import type { Endpoint } from '../context/endpoint.ts';
import { stateOf } from '../http/requestState.ts';
import { routeName } from '../http/routes.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders =
  'Authorization, Content-Type, Idempotency-Key, Prefer, Accept, Range, Last-Event-ID, traceparent, tracestate';
const exposedHeaders =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, ' +
  'Content-Disposition, Content-Range, Location, Preference-Applied, Deprecation, Sunset';
const preflightMaxAgeS = 600;

/** Lets pages of these origins read responses. Never with credentials: a page needs an API key, cookies do not count. */
export function allowOrigins(origins: readonly string[], endpoints: readonly Endpoint[]) {
  const tokenPaths = new Set(endpoints.filter(({ allowsTokens }) => allowsTokens).map(({ path }) => path));
  return (request: Request, response: Response): void => {
    if (origins.length > 0) allow(response, origins, request.headers.origin);
    const path = routeName(stateOf(response).match) ?? '';
    if (tokenPaths.has(path) && !response.hasHeader(allowOrigin)) allowTokens(request, response);
  };
}

const allowOrigin = 'Access-Control-Allow-Origin';

/** Pages of any origin may read what an execution token reads, and nothing with an API key. */
function allowTokens(request: Request, response: Response): void {
  const wanted = request.headers['access-control-request-method'] ?? '';
  if (request.method === 'OPTIONS' && ['GET', 'HEAD'].includes(wanted)) {
    response.set({ [allowOrigin]: '*', 'Access-Control-Allow-Methods': 'GET, HEAD' });
  } else if (['GET', 'HEAD'].includes(request.method) && hasToken(request)) {
    response.set({ [allowOrigin]: '*', 'Access-Control-Expose-Headers': exposedHeaders });
  }
}

function allow(response: Response, origins: readonly string[], origin: string | undefined): void {
  const toAll = origins.includes('*');
  if (!toAll) response.vary('Origin');
  if (origin === undefined || !(toAll || origins.includes(origin))) return;
  response.set('Access-Control-Allow-Origin', toAll ? '*' : origin);
  response.set('Access-Control-Expose-Headers', exposedHeaders);
}

/** Responds to the preflight requests of allowed origins; returns false for any other request. */
export function respondPreflight(request: Request, response: Response): boolean {
  const isAllowed = response.hasHeader('Access-Control-Allow-Origin');
  if (request.method !== 'OPTIONS' || !isAllowed || !request.headers['access-control-request-method'])
    return false;
  if (!response.hasHeader('Access-Control-Allow-Methods'))
    response.set('Access-Control-Allow-Methods', methods);
  response.set({
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': String(preflightMaxAgeS),
  });
  response.status(204).end();
  return true;
}
