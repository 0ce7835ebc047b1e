import type { IncomingMessage } from 'node:http';
import { finishAdminAction, startAdminAction } from '@holdfast/db/adminActions';
import {
  countSignIn,
  forgetFailures,
  insertSession,
  type OperatorSession,
} from '@holdfast/db/operatorSessions';
import type { AdminToken } from '@holdfast/domain/adminTokens';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { signIn } from '@holdfast/domain/operators';
import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { requireConsole } from '../../http/consoleRequest.ts';
import { keylessEndpoint } from '../../http/endpoint.ts';
import { type RequestState, stateOf } from '../../http/requestState.ts';
import { hashSecret, newSecret } from '../../http/secrets.ts';
import { credentialOf, readOperators, tokenFor } from '../operators.ts';
import { sessionCookie } from '../sessionCookie.ts';
import { SessionRecord, sessionRecord } from '../sessionRecord.ts';

const path = '/admin/v1/session';

export const postSession = keylessEndpoint({
  method: 'POST',
  path,
  tag: 'Sessions',
  summary: 'Sign in to the console',
  description:
    'Exchanges an admin token or a sign-in link for a session in a cookie that scripts cannot read. Only pages of the console ' +
    'can sign in. After five failures an address is locked out for up to 15 minutes.',
  access: 'anyone',
  limit: 'other',
  body: z.strictObject({
    token: z.string().min(1).max(400).describe('An admin token, or the token of a link'),
  }),
  responses: { 201: { description: 'The session, and its cookie', schema: SessionRecord } },
  errors: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async handle({ context, body, raw }) {
    const request = raw.request as Request;
    requireConsole(request);
    const state = stateOf(raw.response);
    const address = ipKeyGenerator(state.address);
    const { failures, retryAfterS } = await countSignIn(context.db, address, signIn.failureWindowMs);
    if (failures > signIn.maxFailures) throw lockedOut(retryAfterS, isBehindUnknownProxy(context, request));
    const token = await tokenFor(context.db, readOperators(context.config), body.token);
    if (!token)
      throw new ApiError('UNAUTHENTICATED', 'The token is wrong, or the link was used or has expired.');
    const secret = newSecret('ses_');
    const session = await openSession(context, { token, secret, state, request });
    await forgetFailures(context.db, address);
    state.operator = { name: session.actor, role: session.role, sessionId: session.id };
    const headers = { 'Set-Cookie': sessionCookie(request, secret) };
    return { status: 201, body: sessionRecord(session, session.id), headers };
  },
});

/** Then all operators have the address of the proxy, and so one lock-out. */
function isBehindUnknownProxy({ config }: Context, { headers }: Request): boolean {
  return config.TRUST_PROXY === 0 && headers['x-forwarded-for'] !== undefined;
}

function lockedOut(retryAfterS: number, isShared: boolean): ApiError {
  const hint = isShared
    ? ' A proxy is in front of this gateway, so all operators share an address: set TRUST_PROXY to the number of proxies.'
    : '';
  return new ApiError(
    'RATE_LIMITED',
    `Too many sign-ins from this address failed. Wait before you try again.${hint}`,
    { headers: { 'Retry-After': String(Math.max(1, retryAfterS)) } },
  );
}

/** A sign-in is an action like every other: one that cannot be recorded does not happen. */
async function openSession(
  { db, config }: Context,
  given: { token: AdminToken; secret: string; state: RequestState; request: IncomingMessage },
): Promise<OperatorSession> {
  const { token, secret, state, request } = given;
  const id = newId('ses');
  const action = {
    id: newId('act'),
    actor: token.name,
    address: state.address,
    requestId: state.requestId,
    action: `POST ${path}`,
    organizationId: null,
    target: id,
    details: {},
  };
  await startAdminAction(db, action);
  const session = await insertSession(db, {
    id,
    hash: hashSecret(secret),
    actor: token.name,
    role: readOperators(config).roleOf(token.name),
    credential: credentialOf(secret, token.token),
    address: state.address,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
    lifetimeMs: signIn.sessionMs,
  });
  await finishAdminAction(db, action, 201);
  return session;
}
