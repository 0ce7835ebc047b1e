import { type FoundApiKey, findApiKeys, findApiKeysById } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { findPortalSessions, type PortalSession } from '@holdfast/db/portalSessions';
import { hashApiKey, isApiKeyShape } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { stateOf } from '../http/requestState.ts';
import { requireConsole } from './consoleRequest.ts';
import { isTokenShaped, type TokenClaims, type TokenSigner, tokenInUrl } from './executionTokens.ts';
import { type Caller, type Identity, identityOf } from './identity.ts';
import { requireAddress, unbounded } from './keyBounds.ts';
import { portalSecret } from './portalRequest.ts';
import { hashSecret } from './secrets.ts';

export type Callers = {
  byKey(keyHash: string): Promise<Caller | null>;
  byToken(token: string): Promise<Caller | null>;
  bySession(id: string, secret: string): Promise<Caller | null>;
  /** Where pages of the portal come from, if it is not the host of the request. */
  publicUrl: string | undefined;
};

/** Identifies the caller. An error is kept in the identity until the rate limit has counted the request. */
export type Authenticate = (request: Request, response: Response) => Promise<void> | void;

export function authenticate(callers: Callers): Authenticate {
  return async (request, response) => {
    const { address } = stateOf(response);
    const identity = identityOf(response);
    const { portalSessionId } = identity;
    const find = () => requireCaller(request, { address, portalSessionId }, callers);
    identity.recheck = find;
    try {
      identity.caller = await find();
    } catch (error) {
      identity.accessError =
        error instanceof Error ? error : new Error('not authenticated', { cause: error });
    }
  };
}

async function requireCaller(
  request: Request,
  { address, portalSessionId }: { address: string } & Pick<Identity, 'portalSessionId'>,
  callers: Callers,
): Promise<Caller> {
  if (portalSessionId !== null) return await sessionCaller(request, { address, portalSessionId }, callers);
  const key = credentialOf(request);
  if (key === null) throw unauthenticated('An API key is required: Authorization: Bearer <API_KEY>.');
  const caller = isTokenShaped(key) ? await tokenCaller(key, callers) : await keyCaller(key, callers);
  requireAddress(caller, address);
  return caller;
}

async function keyCaller(key: string, { byKey }: Callers): Promise<Caller> {
  const caller = isApiKeyShape(key) ? await byKey(hashApiKey(key)) : null;
  if (!caller) throw unauthenticated('The API key is not valid: it is unknown, revoked or expired.');
  return caller;
}

/** A link is made to be used elsewhere than its key; a session that was started with the key itself is not. */
async function sessionCaller(
  request: Request,
  { address, portalSessionId }: { address: string; portalSessionId: string },
  { bySession, publicUrl }: Callers,
): Promise<Caller> {
  requireConsole(request, publicUrl);
  const secret = portalSecret(request);
  const caller = secret === null ? null : await bySession(portalSessionId, secret);
  if (!caller) throw new ApiError('UNAUTHENTICATED', 'The session has ended.');
  if (!caller.session?.isByLink) requireAddress(caller, address);
  return caller;
}

async function tokenCaller(token: string, { byToken }: Callers): Promise<Caller> {
  const caller = await byToken(token);
  if (!caller) {
    throw unauthenticated('The execution token is not valid: it is unknown or expired, or its API key is.');
  }
  return caller;
}

/** Whether a request carries an execution token, valid or not. */
export function hasToken(request: Request): boolean {
  return isTokenShaped(credentialOf(request) ?? '');
}

function credentialOf({ headers, url }: Request): string | null {
  return bearerToken(headers.authorization) ?? tokenInUrl(url);
}

export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

export function unauthenticated(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** A revoked key must stop working everywhere within 5 s. */
const cacheMs = 3000;
const maxCachedKeys = 10_000;

/** Finds callers, with caches that also remember unknown ones. */
export function openCallers({
  db,
  tokens,
  config,
}: {
  db: Database;
  tokens: TokenSigner;
  config: { PUBLIC_URL?: string | undefined };
}): Callers {
  const byHash = openKeyCache((hashes) => findApiKeys(db, hashes));
  const byId = openKeyCache((ids) => findApiKeysById(db, ids));
  // Looked up before the rate limit: a flood of wrong cookies costs one statement at a time.
  const sessions = createBatcher<string, PortalSession | null>({
    maxSize: 500,
    async run(hashes) {
      const found = await findPortalSessions(db, hashes);
      return hashes.map((hash) => found.get(hash) ?? null);
    },
  });
  return {
    byKey: async (hash) => (await byHash(hash))?.caller ?? null,
    byToken: async (token) => {
      const claims = tokens.verify(token);
      const found = claims && (await byId(claims.apiKeyId));
      if (!claims || !found) return null;
      // By the clock of the database, which set the expiry.
      const isValid = performance.now() + found.databaseAheadMs < claims.expiresAtMs;
      return isValid ? tokenHolder(found.caller, claims) : null;
    },
    publicUrl: config.PUBLIC_URL,
    async bySession(id, secret) {
      const session = await sessions.add(hashSecret(secret));
      if (session?.id !== id) return null;
      const key = session.keyHash === null ? operatorFor(session) : (await byHash(session.keyHash))?.caller;
      return key ? { ...key, session } : null;
    },
  };
}

/** In place of an API key's id, where operators created something. */
export const operatorKeyId = 'operator';

/** What an operator, or a portal session that one made, may do for an organization: no key bounds it. */
export function operatorFor({ organizationId, isTest }: Pick<Caller, 'organizationId' | 'isTest'>): Caller {
  return { organizationId, apiKeyId: operatorKeyId, isTest, ...unbounded, token: null, session: null };
}

/** An operator in person: a portal session that one made belongs to a client. */
export function isOperator({ apiKeyId, session }: Pick<Caller, 'apiKeyId' | 'session'>): boolean {
  return apiKeyId === operatorKeyId && session === null;
}

const tokenScopes: ReadonlySet<string> = new Set(['executions:read', 'files']);

function tokenHolder(key: Caller, token: TokenClaims): Caller {
  return { ...key, scopes: key.scopes.filter((scope) => tokenScopes.has(scope)), token };
}

/** `databaseAheadMs`: the time of the database minus this process's monotonic clock. */
type FoundCaller = { caller: Caller; validForMs: number | null; databaseAheadMs: number };

type Load = (names: string[]) => Promise<Map<string, FoundApiKey & { databaseMs?: number }>>;

function openKeyCache(load: Load): (name: string) => Promise<FoundCaller | null> {
  const lookups = createBatcher<string, FoundCaller | null>({
    maxSize: 500,
    async run(names) {
      const found = await load(names);
      const readAtMs = performance.now();
      return names.map((name) => {
        const row = found.get(name);
        if (!row) return null;
        const { validForMs, databaseMs = 0, ...key } = row;
        return {
          caller: { ...key, token: null, session: null },
          validForMs,
          databaseAheadMs: databaseMs - readAtMs,
        };
      });
    },
  });
  const cache = new LRUCache<string, { found: FoundCaller | null }>({
    max: maxCachedKeys,
    ttl: cacheMs,
    ignoreFetchAbort: true,
    async fetchMethod(name, _stale, { options }) {
      const startedAt = performance.now();
      const found = await lookups.add(name);
      const ttlMs = Math.min(cacheMs, found?.validForMs ?? cacheMs) - (performance.now() - startedAt);
      options.ttl = Math.max(1, ttlMs); // 0 would mean forever.
      return { found };
    },
  });
  return async (name) => (cache.get(name) ?? (await cache.fetch(name)))?.found ?? null;
}
