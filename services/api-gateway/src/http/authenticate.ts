import type { ServerResponse } from 'node:http';
import { hashApiKey, isApiKeyShape } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import type { Request, RequestHandler } from 'express';
import { requireAddress } from '../apiKeys/keyAddresses.ts';
import type { Caller } from './endpoint.ts';
import { stateOf } from './requestState.ts';

type FindCaller = (hash: string) => Promise<Caller | null>;

/** Finds out who calls. A refusal waits until the rate limit has counted the request. */
export function authenticate(findCaller: FindCaller): RequestHandler {
  return async (request, response, next) => {
    const state = stateOf(response);
    state.findCaller = () => callerOf(request, state.address, findCaller);
    try {
      state.caller = await state.findCaller();
    } catch (error) {
      state.refusal = error instanceof Error ? error : new Error('not authenticated', { cause: error });
    }
    next();
  };
}

/** For an answer that has taken its time. @throws ApiError UNAUTHENTICATED for a key that ended meanwhile */
export async function requireValidStill(response: ServerResponse): Promise<void> {
  await stateOf(response).findCaller?.();
}

async function callerOf(request: Request, address: string, findCaller: FindCaller): Promise<Caller> {
  const key = bearerToken(request.headers.authorization);
  if (key === null) throw unauthenticated('An API key is needed: Authorization: Bearer <API_KEY>.');
  const caller = isApiKeyShape(key) ? await findCaller(hashApiKey(key)) : null;
  if (!caller) throw unauthenticated('The API key is not valid: unknown, revoked or expired.');
  requireAddress(caller, address);
  return caller;
}

export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

export function unauthenticated(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
