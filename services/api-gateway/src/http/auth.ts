import { createHash, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type FoundApiKey, findApiKeys } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import type { AdminToken } from '@holdfast/domain/adminTokens';
import { hashApiKey, isApiKeyShape } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { requireAddress } from '../apiKeys/keyBounds.ts';
import type { Caller } from './endpoint.ts';
import { stateOf } from './requestState.ts';

type FindCaller = (keyHash: string) => Promise<Caller | null>;

/** Identifies the caller. A refusal is kept in the request's state until the rate limit has counted the request. */
export function authenticate(findCaller: FindCaller): RequestHandler {
  return async (request, response, next) => {
    const state = stateOf(response);
    state.findCaller = () => requireCaller(request, state.address, findCaller);
    try {
      state.caller = await state.findCaller();
    } catch (error) {
      state.refusal = error instanceof Error ? error : new Error('not authenticated', { cause: error });
    }
    next();
  };
}

/** Checks the key again, for responses that take long. @throws ApiError UNAUTHENTICATED when it is no longer valid */
export async function recheckKey(response: ServerResponse): Promise<void> {
  await stateOf(response).findCaller?.();
}

async function requireCaller(request: Request, address: string, findCaller: FindCaller): Promise<Caller> {
  const key = bearerToken(request.headers.authorization);
  if (key === null) throw unauthenticated('An API key is required: Authorization: Bearer <API_KEY>.');
  const caller = isApiKeyShape(key) ? await findCaller(hashApiKey(key)) : null;
  if (!caller) throw unauthenticated('The API key is not valid: it is unknown, revoked or expired.');
  requireAddress(caller, address);
  return caller;
}

/** Authenticates an operator; every token is compared in constant time. */
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

function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

function unauthenticated(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A revoked key must stop working everywhere within 5 s. */
const cacheMs = 3000;
const maxCachedKeys = 10_000;

/** Finds callers by the hash of their key, with a cache that also remembers unknown keys. */
export function openKeyCache(db: Database): FindCaller {
  const lookups = createBatcher<string, FoundApiKey | null>({
    maxSize: 500,
    async run(hashes) {
      const found = await findApiKeys(db, hashes);
      return hashes.map((hash) => found.get(hash) ?? null);
    },
  });
  const cache = new LRUCache<string, { caller: Caller | null }>({
    max: maxCachedKeys,
    ttl: cacheMs,
    ignoreFetchAbort: true,
    async fetchMethod(hash, _stale, { options }) {
      const startedAt = performance.now();
      const found = await lookups.add(hash);
      const { validForMs = null, ...caller } = found ?? {};
      const ttlMs = Math.min(cacheMs, validForMs ?? cacheMs) - (performance.now() - startedAt);
      options.ttl = Math.max(1, ttlMs); // 0 would mean for ever.
      return { caller: found && (caller as Caller) };
    },
  });
  return async (hash) => (await cache.fetch(hash))?.caller ?? null;
}
