import type { IncomingMessage } from 'node:http';
import type { PortalSession } from '@holdfast/db/portalSessions';
import type { Request } from 'express';
import { readCookies } from './consoleRequest.ts';

const shape = /^\/console\/s\/(pses_[0-9a-f-]{36})(\/v1\/.*)$/s;

/**
 * The session whose path a request is below, and the request as one to `/v1`. Each session has its own path, so that
 * its cookie reaches neither the API nor another session. Null: it is not a request of the portal.
 */
export function enterPortal(request: Request): string | null {
  const [, id, url] = shape.exec(request.url) ?? [];
  if (id === undefined || url === undefined) return null;
  request.url = url;
  return id;
}

export const portalPath = (id: string) => `/console/s/${id}/`;

/** The prefix makes browsers refuse the cookie without https. */
const secureName = '__Secure-holdfast_portal';
const plainName = 'holdfast_portal';

export function portalSecret(request: IncomingMessage): string | null {
  const cookies = readCookies(request);
  return cookies.get(secureName) ?? cookies.get(plainName) ?? null;
}

/**
 * `Set-Cookie` of a session; `secret` null removes it. In a frame of another site browsers send only a cookie with
 * `SameSite=None`, and `Partitioned` keeps it to pages of that site.
 */
export function portalCookie(
  { headers }: IncomingMessage,
  { id, frameAncestors, endsAt }: Pick<PortalSession, 'id' | 'frameAncestors' | 'endsAt'>,
  secret: string | null,
): string {
  const isFramed = frameAncestors.length > 0;
  const isSecure = isFramed || headers.origin?.startsWith('https:') === true;
  const maxAgeS = secret === null ? 0 : Math.max(0, Math.floor((endsAt.getTime() - Date.now()) / 1000));
  return [
    `${isSecure ? secureName : plainName}=${secret ?? ''}`,
    `Path=${portalPath(id)}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    ...(isSecure ? ['Secure'] : []),
    ...(isFramed ? ['SameSite=None', 'Partitioned'] : ['SameSite=Strict']),
  ].join('; ');
}
