import type { IncomingMessage } from 'node:http';
import { readCookies } from '../http/consoleRequest.ts';

/** The prefix makes browsers refuse the cookie from other hosts and without https. */
const secureName = '__Host-holdfast_session';
/** On plain http, which only loopback and private networks should use. Cookies ignore ports: the path keeps it off the API. */
const plainName = 'holdfast_session';
const plainPath = '/admin/v1';

export function sessionSecret(request: IncomingMessage): string | null {
  const cookies = readCookies(request);
  return cookies.get(secureName) ?? cookies.get(plainName) ?? null;
}

/** `Set-Cookie` for a session; `secret` null removes it. A session cookie of the browser: it ends with the browser at last. */
export function sessionCookie({ headers }: IncomingMessage, secret: string | null): string {
  const isSecure = headers.origin?.startsWith('https:') ?? false;
  const place = isSecure
    ? `${secureName}=${secret ?? ''}; Path=/; Secure`
    : `${plainName}=${secret ?? ''}; Path=${plainPath}`;
  return `${place}; HttpOnly; SameSite=Strict${secret === null ? '; Max-Age=0' : ''}`;
}
