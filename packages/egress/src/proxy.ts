import { basicCredentials } from './basicCredentials.ts';
import { portOf } from './portOf.ts';

/** The operator's HTTP proxy for what the policy guards. */
export type Proxy = {
  isTls: boolean;
  /** Without brackets. */
  host: string;
  port: number;
  /** Of `Proxy-Authorization`; a secret. */
  authorization: string | null;
};

/** `http://host:port` or `https://...`, with a user name and password or without. Throws, naming none of it. */
export function parseProxyUrl(text: string): Proxy {
  const url = URL.parse(text);
  const isTls = url?.protocol === 'https:';
  if (!url || !(isTls || url.protocol === 'http:') || url.hostname === '') {
    throw new Error('must be http://host:port or https://host:port');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') throw new Error('must end with the port');
  return {
    isTls,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(url),
    authorization: basicCredentials(url),
  };
}
