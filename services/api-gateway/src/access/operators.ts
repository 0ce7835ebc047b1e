import { createHmac } from 'node:crypto';
import type { Database } from '@holdfast/db/client';
import { findSession, type OperatorSession, useSignInLink } from '@holdfast/db/operatorSessions';
import { type AdminToken, parseAdminTokens } from '@holdfast/domain/adminTokens';
import { isSameSecret } from '@holdfast/domain/constantTime';
import { ApiError } from '@holdfast/domain/errors';
import { type OperatorRole, parseAdminRoles, type SignInMethod } from '@holdfast/domain/operators';
import type { Request } from 'express';
import { type Authenticate, bearerToken, unauthenticated } from './callers.ts';
import { requireConsole } from './consoleRequest.ts';
import { identityOf, type Operator } from './identity.ts';
import { type OidcConfig, oidcTerms } from './oidc/config.ts';
import { sessionSecret } from './operatorCookies.ts';
import { hashSecret } from './secrets.ts';

export type Operators = {
  /** Every token is compared in constant time. */
  byToken(token: string): AdminToken | null;
  /** The token that a session or link was made with, if it is still configured. */
  byCredential(secret: string, credential: string, name: string): AdminToken | null;
  roleOf(name: string): OperatorRole;
  /** Whether the terms of the session still hold. */
  isCurrent(secret: string, session: OperatorSession): boolean;
  /** Where the console is, if it is not the host of the request. */
  consoleUrl: string | undefined;
};

export function readOperators(config: { ADMIN_TOKEN: string; ADMIN_ROLES: string } & OidcConfig): Operators {
  const tokens = parseAdminTokens(config.ADMIN_TOKEN) ?? [];
  const roles = parseAdminRoles(config.ADMIN_ROLES) ?? new Map<string, OperatorRole>();
  const matching = (isIt: (one: AdminToken) => boolean) => tokens.filter(isIt)[0] ?? null;
  const byCredential: Operators['byCredential'] = (secret, credential, name) =>
    matching((one) => one.name === name && isSameSecret(credentialOf(secret, one.token), credential));
  const roleOf: Operators['roleOf'] = (name) => roles.get(name) ?? 'admin';
  const terms = oidcTerms(config);
  return {
    byToken: (given) => matching(({ token }) => isSameSecret(hashSecret(given), hashSecret(token))),
    byCredential,
    roleOf,
    isCurrent(secret, { method, credential, actor, role }) {
      if (method === 'oidc') return terms !== null && isSameSecret(credentialOf(secret, terms), credential);
      return byCredential(secret, credential, actor) !== null && roleOf(actor) === role;
    },
    consoleUrl: config.CONSOLE_URL,
  };
}

/** Proves what a session was made with. Without the secret, which is not stored, it reveals nothing of a token. */
export function credentialOf(secret: string, terms: string): string {
  return createHmac('sha256', secret).update(terms).digest('hex');
}

/** Identifies the operator by a bearer token, or else by the cookie of a session. */
export function authenticateOperator(db: Database, operators: Operators): Authenticate {
  return async (request, response) => {
    const identity = identityOf(response);
    const find = () => requireOperator(request, db, operators);
    identity.recheck = find;
    try {
      identity.operator = await find();
    } catch (error) {
      identity.accessError =
        error instanceof Error ? error : new Error('not authenticated', { cause: error });
    }
  };
}

async function requireOperator(request: Request, db: Database, operators: Operators): Promise<Operator> {
  const secret = request.headers.authorization === undefined ? sessionSecret(request) : null;
  if (secret !== null) {
    requireConsole(request, operators.consoleUrl);
    return await sessionOperator(secret, db, operators);
  }
  const token = operators.byToken(bearerToken(request.headers.authorization) ?? '');
  if (!token) throw unauthenticated('The admin token is missing or wrong.');
  return { name: token.name, role: operators.roleOf(token.name), sessionId: null };
}

/** A session ends with its token, when the role of its operator changes, and with the settings of OIDC it was made under. */
async function sessionOperator(secret: string, db: Database, operators: Operators): Promise<Operator> {
  const session = await findSession(db, hashSecret(secret));
  if (!session || !operators.isCurrent(secret, session)) {
    throw unauthenticated('The session has ended. Sign in again.');
  }
  return { name: session.actor, role: session.role, sessionId: session.id };
}

/** The token behind an admin token or a sign-in link; null: neither is valid. A link is used up. */
export async function tokenFor(
  db: Database,
  operators: Operators,
  given: string,
): Promise<(AdminToken & { method: SignInMethod }) | null> {
  const link = given.startsWith('link_') ? await useSignInLink(db, hashSecret(given)) : null;
  const token = link ? operators.byCredential(given, link.credential, link.actor) : operators.byToken(given);
  return token && { ...token, method: link ? 'link' : 'token' };
}

/** @throws ApiError for a request without an operator, which authentication has already refused */
export function requireNamed(operator: Operator | null): Operator {
  if (!operator) throw new ApiError('UNAUTHENTICATED', 'The admin token is missing or wrong.');
  return operator;
}
