import { createHash, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type FoundApiKey, findApiKeys } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import type { AdminToken } from '@holdfast/domain/adminTokens';
import { hashApiKey, isApiKeyShape } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Request, RequestHandler } from 'express';
import { requireAddress } from '../apiKeys/keyBounds.ts';
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

/** A revoked key stops working everywhere within 5 s, so nothing is believed for longer than this. */
const believedMs = 3000;
const maxEntries = 10_000;

type Entry = { caller: Promise<Caller | null>; until: number };

/** Who a key belongs to, by its hash; asked of the database once in a while, unknown keys too. */
export function openKeyCache(db: Database): (hash: string) => Promise<Caller | null> {
  const entries = new Map<string, Entry>();
  const lookUps = createBatcher<string, FoundApiKey | null>({
    maxSize: 500,
    async run(hashes) {
      const found = await findApiKeys(db, hashes);
      return hashes.map((hash) => found.get(hash) ?? null);
    },
  });

  function look(hash: string): Promise<Caller | null> {
    const entry: Entry = { caller: Promise.resolve(null), until: performance.now() + believedMs };
    entry.caller = lookUps.add(hash).then((found) => {
      if (!found) return null;
      const { validForMs, ...caller } = found;
      if (validForMs !== null) entry.until = Math.min(entry.until, performance.now() + validForMs);
      return caller;
    });
    entry.caller.catch(() => entries.delete(hash));
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value ?? '');
    entries.set(hash, entry);
    return entry.caller;
  }

  return (hash) => {
    const entry = entries.get(hash);
    if (entry && entry.until > performance.now()) return entry.caller;
    entries.delete(hash);
    return look(hash);
  };
}

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
