import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { bearerToken, unauthenticated } from './authenticate.ts';
import { stateOf } from './requestState.ts';

/** The admin API's one token, compared in constant time. */
export function authenticateOperator(adminToken: string): RequestHandler {
  const expected = digest(adminToken);
  return (request, response, next) => {
    const given = bearerToken(request.headers.authorization);
    if (given === null || !timingSafeEqual(digest(given), expected)) {
      stateOf(response).refusal = unauthenticated('The admin token is missing or wrong.');
    }
    next();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
