import type { IncomingMessage } from 'node:http';
import { readCookies } from './consoleRequest.ts';

/** The prefix makes browsers refuse the cookie from other hosts and without https. */
const secured = (name: string) => `__Host-${name}`;

/** On plain http, which only loopback and private networks should use. Cookies ignore ports: the path keeps it off the API. */
const plainPath = '/admin/v1';

const session = 'holdfast_session';
const started = 'holdfast_sign_in';

export function sessionSecret(request: IncomingMessage): string | null {
  const cookies = readCookies(request);
  return cookies.get(secured(session)) ?? cookies.get(session) ?? null;
}

/** `Set-Cookie` for a session; `secret` null removes it. A session cookie of the browser: it ends with the browser at last. */
export function sessionCookie(request: IncomingMessage, secret: string | null): string {
  return cookie(request, session, secret ?? '') + (secret === null ? '; Max-Age=0' : '');
}

/** The secret of the sign-in at the OIDC provider that this browser started. A subdomain could plant the plain name. */
export function signInSecret(request: IncomingMessage, consoleUrl: string): string | null {
  const name = consoleUrl.startsWith('https:') ? secured(started) : started;
  return readCookies(request).get(name) ?? null;
}

export function signInCookie(request: IncomingMessage, secret: string, maxAgeS: number): string {
  return `${cookie(request, started, secret)}; Max-Age=${maxAgeS}`;
}

function cookie({ headers }: IncomingMessage, name: string, value: string): string {
  const isSecure = headers.origin?.startsWith('https:') ?? false;
  const scope = isSecure
    ? `${secured(name)}=${value}; Path=/; Secure`
    : `${name}=${value}; Path=${plainPath}`;
  return `${scope}; HttpOnly; SameSite=Strict`;
}
