import { findApiKey } from '@holdfast/db/apiKeys';
import {
  findPortalSessions,
  insertPortalSession,
  type PortalSession,
  revokePortalSession,
  startPortalSession,
} from '@holdfast/db/portalSessions';
import { hashApiKey, isApiKeyShape } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { capabilityScopes, portal, portalCapabilities } from '@holdfast/domain/portal';
import type { Request } from 'express';
import { z } from 'zod';
import { operatorKeyId, unauthenticated } from '../../access/callers.ts';
import { requireConsole } from '../../access/consoleRequest.ts';
import { type Caller } from '../../access/identity.ts';
import { requireAddress, unbounded } from '../../access/keyBounds.ts';
import { portalCookie } from '../../access/portalRequest.ts';
import { hashSecret, newSecret } from '../../access/secrets.ts';
import type { Context } from '../../context/context.ts';
import { type Endpoint, endpoint, keylessEndpoint } from '../../context/endpoint.ts';
import { idField, notFound } from '../../http/fields.ts';
import { stateOf } from '../../http/requestState.ts';
import { tooManySessions } from './postPortalSession.ts';
import { PortalView, portalView } from './sessionRecord.ts';

const path = '/v1/portal-session';
const tag = 'Portal';

const startSession = keylessEndpoint({
  method: 'POST',
  path,
  tag,
  summary: 'Exchange a link or an API key for a session of the portal',
  access: 'anyone',
  limit: 'other',
  body: z.union([
    z.strictObject({ token: z.string().min(1).max(100) }),
    z.strictObject({ api_key: z.string().min(1).max(100) }),
  ]),
  responses: { 201: { description: 'The session, and its cookie', schema: PortalView } },
  errors: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async handle({ context, body, raw }) {
    requireConsole(raw.request as Request, context.config.PUBLIC_URL);
    const secret = newSecret('ses_');
    const { session, key } =
      'token' in body
        ? await sessionOfLink(context, body.token, secret)
        : await sessionOfKey(context, body.api_key, { secret, address: stateOf(raw.response).address });
    const headers = { 'Set-Cookie': portalCookie(raw.request, session, secret) };
    return { status: 201, body: portalView(session, key, context.config), headers };
  },
});

type Started = { session: PortalSession; key: Pick<Caller, 'scopes' | 'apiKeyId'> };

const byOperator = { ...unbounded, apiKeyId: operatorKeyId };

/** A link is used up even if its key has ended. */
async function sessionOfLink({ db }: Context, token: string, secret: string): Promise<Started> {
  const hashes = { linkHash: hashSecret(token), hash: hashSecret(secret) };
  const session = await startPortalSession(db, hashes);
  const key = session && (session.keyHash === null ? byOperator : await findApiKey(db, session.keyHash));
  if (!session || !key) throw unauthenticated('The link is not valid: it was used, or has expired.');
  return { session, key };
}

async function sessionOfKey(
  { db }: Context,
  given: string,
  { secret, address }: { secret: string; address: string },
): Promise<Started> {
  const keyHash = hashApiKey(given);
  const key = isApiKeyShape(given) ? await findApiKey(db, keyHash) : null;
  if (!key) throw unauthenticated('The API key is not valid: it is unknown, revoked or expired.');
  requireAddress(key, address);
  const [id, hash] = [newId('pses'), hashSecret(secret)];
  const endsAt = await insertPortalSession(db, {
    id,
    organizationId: key.organizationId,
    keyHash,
    capabilities: portalCapabilities.filter((one) => key.scopes.includes(capabilityScopes[one])),
    frameAncestors: [],
    accent: null,
    logoUrl: null,
    colorScheme: 'auto',
    returnUrl: null,
    linkHash: null,
    hash,
    lifetimeS: portal.keySessionS,
  });
  const session = endsAt && (await findPortalSessions(db, [hash])).get(hash);
  if (!session) throw tooManySessions();
  return { session, key };
}

const getSession = endpoint({
  method: 'GET',
  path,
  operationId: 'getCurrentPortalSession',
  tag,
  summary: 'Read the session of the portal',
  scope: 'any',
  limit: 'other',
  responses: { 200: { description: 'The session', schema: PortalView } },
  async handle({ context, caller }) {
    const session = requireSession(caller);
    return { status: 200, body: portalView(session, caller, context.config) };
  },
});

const endSession = endpoint({
  method: 'DELETE',
  path,
  operationId: 'endCurrentPortalSession',
  tag,
  summary: 'Sign out of the portal',
  scope: 'any',
  limit: 'other',
  responses: {
    200: { description: 'The session has ended', schema: z.object({ id: idField('pses') }) },
  },
  async handle({ context, caller, raw }) {
    const session = requireSession(caller);
    await revokePortalSession(context.db, session.organizationId, session.id);
    const headers = { 'Set-Cookie': portalCookie(raw.request, session, null) };
    return { status: 200, body: { id: session.id }, headers };
  },
});

function requireSession({ session }: Caller): PortalSession {
  if (!session) throw notFound('portal session');
  return session;
}

/** For the pages of the portal alone, so not in the reference. */
export const currentSessionEndpoints: readonly Endpoint[] = [startSession, getSession, endSession];
