import type { IncomingMessage } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';
import type { Request } from 'express';

/** A page of another origin can send it only after a preflight request, which is refused wherever cookies count. */
export const consoleHeader = 'x-holdfast-console';

/** Refuses cookies sent by other sites. Reads need no header, so that images load. @throws ApiError FORBIDDEN */
export function requireConsole(request: Request, publicUrl?: string): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const site = request.headers['sec-fetch-site'];
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeign || !(isRead || isFromConsole(request, publicUrl))) {
    throw new ApiError('FORBIDDEN', 'The request was not made by the console of this Holdfast.');
  }
}

/** The host is compared, not the scheme: a proxy may end TLS. */
function isFromConsole(request: Request, publicUrl: string | undefined): boolean {
  const origin = URL.parse(request.headers.origin ?? '');
  const hosts = [request.host, URL.parse(publicUrl ?? '')?.host];
  return origin !== null && hosts.includes(origin.host) && request.headers[consoleHeader] !== undefined;
}

export function readCookies({ headers }: IncomingMessage): Map<string, string> {
  return new Map(
    (headers.cookie ?? '').split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name, value] as const;
    }),
  );
}
