import type { Request } from 'express';
import type { GatewayConfig } from '../context/config.ts';

/** Where the client of a request reaches the API, without a final slash. */
export type PublicUrl = (request: Request) => string;

/**
 * PUBLIC_URL, or else the address that the request was sent to: the response goes back to whoever chose it, and is never
 * cached. Empty if there is none, so that URLs become relative.
 */
export function openPublicUrl({ PUBLIC_URL }: Pick<GatewayConfig, 'PUBLIC_URL'>): PublicUrl {
  const configured = PUBLIC_URL?.replace(/\/+$/, '');
  return (request) => configured ?? addressOf(request);
}

function addressOf({ protocol, host }: Request): string {
  const url = host ? URL.parse(`${protocol}://${host}`) : null;
  return url === null || url.username !== '' || url.pathname !== '/' ? '' : url.origin;
}
