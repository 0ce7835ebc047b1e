import { createHash, timingSafeEqual } from 'node:crypto';
import type { AdminToken } from '@holdfast/domain/adminTokens';
import type { RequestHandler } from 'express';
import { bearerToken, unauthenticated } from './authenticate.ts';
import { stateOf } from './requestState.ts';

/** The tokens of the admin API, each compared in constant time, whichever it is. */
export function authenticateOperator(tokens: readonly AdminToken[]): RequestHandler {
  const known = tokens.map(({ name, token }) => ({ name, expected: digest(token) }));
  return (request, response, next) => {
    const given = digest(bearerToken(request.headers.authorization) ?? '');
    const [operator] = known.filter(({ expected }) => timingSafeEqual(given, expected));
    if (operator) stateOf(response).operator = operator.name;
    else stateOf(response).refusal = unauthenticated('The admin token is missing or wrong.');
    next();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
