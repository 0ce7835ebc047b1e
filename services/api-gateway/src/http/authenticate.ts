import { hashApiKey, isApiKeyShape } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import type { Request, RequestHandler } from 'express';
import { requireAddress } from '../apiKeys/keyAddresses.ts';
import type { Caller } from './endpoint.ts';
import { stateOf } from './requestState.ts';

/** Finds out who calls. A refusal waits until the rate limit has counted the request. */
export function authenticate(findCaller: (hash: string) => Promise<Caller | null>): RequestHandler {
  return async (request, response, next) => {
    const state = stateOf(response);
    try {
      state.caller = await callerOf(request, findCaller);
    } catch (error) {
      state.refusal = error instanceof Error ? error : new Error('not authenticated', { cause: error });
    }
    next();
  };
}

async function callerOf(
  request: Request,
  findCaller: (hash: string) => Promise<Caller | null>,
): Promise<Caller> {
  const key = bearerToken(request.headers.authorization);
  if (key === null) throw unauthenticated('An API key is needed: Authorization: Bearer <API_KEY>.');
  const caller = isApiKeyShape(key) ? await findCaller(hashApiKey(key)) : null;
  if (!caller) throw unauthenticated('The API key is not valid: unknown, revoked or expired.');
  requireAddress(caller, request.ip);
  return caller;
}

export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

export function unauthenticated(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
