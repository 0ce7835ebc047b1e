import type { Connection } from '../connection.ts';
import { fillPath, type Values } from './template.ts';

type Base = Pick<Connection, 'baseUrl'>;

/** The connection's host without the path of its base URL: what a server gives as a URL may lie beside it. */
export function rootOf({ baseUrl }: Base): string {
  const url = new URL(baseUrl);
  url.pathname = '/';
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

/** A path below the base URL, from the root of its host; null where the values would lead elsewhere. */
export function pathBelow({ baseUrl }: Base, template: string, values: Values): string | null {
  const path = fillPath(template, values);
  return path === null ? null : `${new URL(baseUrl).pathname.replace(/\/+$/, '')}${path}`;
}

/** The path, from the root, of a URL that the server gave; null when that is another host's, or none. */
export function ownPath({ baseUrl }: Base, given: unknown): string | null {
  if (typeof given !== 'string' || given === '') return null;
  const own = new URL(baseUrl);
  const url = URL.parse(given, own.href);
  return url !== null && url.origin === own.origin ? url.pathname + url.search : null;
}
