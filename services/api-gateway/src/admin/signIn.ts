import { finishAdminAction, startAdminAction } from '@holdfast/db/adminActions';
import { countSignIn, insertSession, type OperatorSession } from '@holdfast/db/operatorSessions';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { type OperatorRole, type SignInMethod, signIn } from '@holdfast/domain/operators';
import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { identityOf } from '../access/identity.ts';
import { sessionCookie } from '../access/operatorCookies.ts';
import { credentialOf } from '../access/operators.ts';
import { hashSecret, newSecret } from '../access/secrets.ts';
import type { Context } from '../context/context.ts';
import type { RawRequest, Reply } from '../http/endpoint.ts';
import { stateOf } from '../http/requestState.ts';
import { sessionRecord } from './sessionRecord.ts';

/** Counts a sign-in as failed until it succeeds; returns the name of the count. @throws ApiError RATE_LIMITED */
export async function countAttempt(
  { db, config }: Pick<Context, 'db' | 'config'>,
  { request, response }: RawRequest,
  { prefix, max }: { prefix: string; max: number },
): Promise<string> {
  const counted = prefix + ipKeyGenerator(stateOf(response).address);
  const { failures, retryAfterS } = await countSignIn(db, counted, signIn.failureWindowMs);
  if (failures <= max) return counted;
  // Then all operators have the address of the proxy, and so one lock-out.
  const isShared = config.TRUST_PROXY === 0 && request.headers['x-forwarded-for'] !== undefined;
  const hint = isShared
    ? ' A proxy is in front of this gateway, so all operators share an address: set TRUST_PROXY to the number of proxies.'
    : '';
  throw new ApiError(
    'RATE_LIMITED',
    `Too many sign-ins from this address failed. Wait before you try again.${hint}`,
    { headers: { 'Retry-After': String(Math.max(1, retryAfterS)) } },
  );
}

export type SignedIn = {
  actor: string;
  role: OperatorRole;
  method: SignInMethod;
  /** What the session depends on: an admin token, or the terms of OIDC. */
  terms: string;
  /** For the action log. */
  details: Record<string, string>;
};

/** Starts a session and replies with its cookie. It is an action like every other: if it cannot be recorded, it does not happen. */
export async function startSession({ db }: Context, raw: RawRequest, person: SignedIn): Promise<Reply> {
  const { actor, role, method, terms } = person;
  const { request } = raw;
  const { address } = stateOf(raw.response);
  const secret = newSecret('ses_');
  const id = newId('ses');
  const action = signInAction(raw, person, id);
  await startAdminAction(db, action);
  const session: OperatorSession = await insertSession(db, {
    id,
    hash: hashSecret(secret),
    actor,
    role,
    method,
    credential: credentialOf(secret, terms),
    address,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
    lifetimeMs: signIn.sessionMs,
  });
  await finishAdminAction(db, action, 201);
  identityOf(raw.response).operator = { name: actor, role, sessionId: id };
  return {
    status: 201,
    body: sessionRecord(session, id),
    headers: { 'Set-Cookie': sessionCookie(request, secret) },
  };
}

/** Records that a person who is known may not sign in. */
export async function recordRefusal(
  { db }: Context,
  raw: RawRequest,
  person: Pick<SignedIn, 'actor' | 'details'>,
): Promise<void> {
  const action = signInAction(raw, person, null);
  await startAdminAction(db, action);
  await finishAdminAction(db, action, 403);
}

function signInAction(
  { request, response }: RawRequest,
  { actor, details }: Pick<SignedIn, 'actor' | 'details'>,
  target: string | null,
) {
  const { address, requestId } = stateOf(response);
  const { path } = request as Request;
  return {
    id: newId('act'),
    actor,
    address,
    requestId,
    action: `POST ${path}`,
    organizationId: null,
    target,
    details,
  };
}
