import { forgetFailures, insertOidcSignIn, useOidcSignIn } from '@holdfast/db/operatorSessions';
import { isSameSecret } from '@holdfast/domain/constantTime';
import { ApiError } from '@holdfast/domain/errors';
import { signIn } from '@holdfast/domain/operators';
import type { Request } from 'express';
import { z } from 'zod';
import { requireConsole } from '../../access/consoleRequest.ts';
import { oidcTerms } from '../../access/oidc/config.ts';
import { isUnreachable, loggable } from '../../access/oidc/faults.ts';
import type { OidcPerson, OidcProvider, OidcResponse } from '../../access/oidc/provider.ts';
import { signInCookie, signInSecret } from '../../access/operatorCookies.ts';
import { hashSecret, newSecret } from '../../access/secrets.ts';
import type { Context } from '../../context/context.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { type RawRequest } from '../../http/endpoint.ts';
import { SessionRecord } from '../sessionRecord.ts';
import { countAttempt, recordRefusal, startSession } from '../signIn.ts';

export const postOidcSignIn = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/oidc-sign-ins',
  tag: 'Sessions',
  summary: 'Start a sign-in at the OIDC provider',
  description:
    'Returns where the browser has to go, and binds the sign-in to the browser with a cookie. Only the console at ' +
    '`CONSOLE_URL` can sign in, within 10 minutes.',
  access: 'anyone',
  limit: 'other',
  responses: {
    201: {
      description: 'The sign-in',
      schema: z
        .object({ authorization_url: z.url().describe('The page of the provider') })
        .meta({ id: 'OidcSignIn' }),
    },
  },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handle({ context, raw }) {
    const oidc = requireOidc(context, raw);
    const secret = newSecret('oidc_');
    const url = await oidc.authorizationUrl(secret).catch((error: unknown) => {
      context.log.warn({ fault: loggable(error) }, 'the OIDC provider cannot be used');
      throw unavailable(oidc);
    });
    await insertOidcSignIn(context.db, hashSecret(secret), signIn.oidcMs);
    return {
      status: 201,
      body: { authorization_url: url },
      headers: { 'Set-Cookie': signInCookie(raw.request, secret, signIn.oidcMs / 1000) },
    };
  },
});

export const postOidcSession = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/oidc-sign-ins/session',
  tag: 'Sessions',
  summary: 'Finish a sign-in at the OIDC provider',
  description:
    'Exchanges what the provider added to the address of the console for a session, as a token is. Only the browser that ' +
    'started the sign-in can finish it, once. The role is that of the configured claim.',
  access: 'anyone',
  limit: 'other',
  body: z.strictObject({
    code: z.string().min(1).max(4000),
    state: z.string().min(1).max(200),
    iss: z.string().max(2000).optional().describe('The issuer, where the provider names it'),
  }),
  responses: { 201: { description: 'The session, and its cookie', schema: SessionRecord } },
  errors: ['NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handle({ context, body, raw }) {
    const oidc = requireOidc(context, raw);
    const secret = await requireStarted(context, raw, oidc, body.state);
    const counted = await countAttempt(context, raw, { prefix: 'oidc ', max: signIn.maxOidcFailures });
    const person = await identify(context, oidc, secret, body);
    const { name: actor, role, subject } = person;
    const details = { issuer: oidc.issuer, subject };
    if (!role) {
      await recordRefusal(context, raw, { actor, details });
      throw new ApiError('FORBIDDEN', withoutRole(oidc, actor));
    }
    const terms = oidcTerms(context.config) ?? '';
    const reply = await startSession(context, raw, { actor, role, method: 'oidc', terms, details });
    await forgetFailures(context.db, counted);
    return reply;
  },
});

/** @throws ApiError unless the console at CONSOLE_URL, where the provider leads back to, made the request */
function requireOidc({ oidc, config }: Context, { request }: RawRequest): OidcProvider {
  requireConsole(request as Request, config.CONSOLE_URL);
  if (!oidc)
    throw new ApiError('NOT_FOUND', 'Signing in by OIDC is not configured: set CONSOLE_OIDC_ISSUER.');
  if (request.headers.origin === oidc.consoleUrl) return oidc;
  const message = `To sign in with ${oidc.label}, open the console at ${oidc.consoleUrl}/console/.`;
  throw new ApiError('FORBIDDEN', message);
}

/** The secret of an unfinished sign-in that this browser started. A foreign state does not use it up. */
async function requireStarted(
  { db }: Context,
  { request }: RawRequest,
  oidc: OidcProvider,
  state: string,
): Promise<string> {
  const secret = signInSecret(request, oidc.consoleUrl);
  if (
    secret !== null &&
    isSameSecret(oidc.stateOf(secret), state) &&
    (await useOidcSignIn(db, hashSecret(secret)))
  ) {
    return secret;
  }
  throw new ApiError(
    'UNAUTHENTICATED',
    'This sign-in was started in another browser or tab, was finished, or has expired. Sign in again.',
  );
}

async function identify(
  { log }: Context,
  oidc: OidcProvider,
  secret: string,
  response: OidcResponse,
): Promise<OidcPerson> {
  try {
    return await oidc.person(secret, response);
  } catch (error) {
    log.warn({ fault: loggable(error) }, 'a sign-in at the OIDC provider failed');
    if (isUnreachable(error)) throw unavailable(oidc);
    throw new ApiError(
      'UNAUTHENTICATED',
      `The response of ${oidc.label} is not valid. Sign in again; if it happens again, the log of the gateway says why.`,
    );
  }
}

const unavailable = ({ label }: OidcProvider) =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    `${label} cannot be used at the moment. Try again, or sign in with an admin token; the log of the gateway says why.`,
  );

const withoutRole = ({ label, rolesClaim }: OidcProvider, actor: string) =>
  `${label} knows you as ${actor}, but gives you no role in Holdfast. Ask whoever manages ${label} to add one ` +
  `to your claim "${rolesClaim}" (CONSOLE_OIDC_ROLES), then sign in again.`;
