import type { IncomingMessage } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';
import type { Request } from 'express';

/** The prefix makes browsers refuse the cookie from other hosts and without https. */
const secureName = '__Host-holdfast_session';
/** On plain http, which only loopback and private networks should use. Cookies ignore ports: the path keeps it off the API. */
const plainName = 'holdfast_session';
const plainPath = '/admin/v1';

/** A page of another origin can send it only after a preflight request, which the admin API always refuses. */
export const consoleHeader = 'x-holdfast-console';

export function sessionSecret({ headers }: IncomingMessage): string | null {
  const cookies = new Map(
    (headers.cookie ?? '').split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name, value] as const;
    }),
  );
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

/** Refuses cookies sent by other sites. Reads need no header, so that images load. @throws ApiError FORBIDDEN */
export function requireConsole(request: Request): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const site = request.headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeign || !(isRead || isFromConsole(request))) {
    throw new ApiError('FORBIDDEN', 'The request was not made by the console of this Holdfast.');
  }
}

/** The host is compared, not the scheme: a proxy may end TLS. */
function isFromConsole(request: Request): boolean {
  const origin = URL.parse(request.headers.origin ?? '');
  return origin?.host === request.host && request.headers[consoleHeader] !== undefined;
}
