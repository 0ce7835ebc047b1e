import type { RequestHandler, Response } from 'express';

/** Whether an item of CORS_ORIGINS is an origin as browsers send it, or `*`. */
export function isCorsOrigin(text: string): boolean {
  return text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders =
  'Authorization, Content-Type, Idempotency-Key, Prefer, Accept, Range, Last-Event-ID, traceparent, tracestate';
const exposedHeaders =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, ' +
  'Content-Disposition, Content-Range, Location, Preference-Applied, Deprecation, Sunset';
const preflightMaxAgeS = 600;

/** Lets pages of these origins read responses. Never with credentials: a page needs an API key, cookies do not count. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (origins.length > 0) allow(response, origins, request.headers.origin);
    next();
  };
}

function allow(response: Response, origins: readonly string[], origin: string | undefined): void {
  const toAll = origins.includes('*');
  if (!toAll) response.vary('Origin');
  if (origin === undefined || !(toAll || origins.includes(origin))) return;
  response.set('Access-Control-Allow-Origin', toAll ? '*' : origin);
  response.set('Access-Control-Expose-Headers', exposedHeaders);
}

/** Responds to the preflight requests of allowed origins. */
export const respondPreflight: RequestHandler = (request, response, next) => {
  const isAllowed = response.hasHeader('Access-Control-Allow-Origin');
  if (request.method !== 'OPTIONS' || !isAllowed || !request.headers['access-control-request-method']) {
    next();
    return;
  }
  response.set({
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': String(preflightMaxAgeS),
  });
  response.status(204).end();
};
