import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { http } from '@holdfast/kit/http';
import { portOf } from './addresses.ts';
import type { Dialling } from './dial.ts';

export function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

export type Proxy = {
  isTls: boolean;
  host: string;
  port: number;
  authorization: string | null;
};

/** Parses `http://user:password@host:port` or `https://...`. The errors contain nothing of the URL. @throws */
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

type Done = (...outcome: [null, Socket] | [Error, null]) => void;

const maxHeaderBytes = 8192;

/** Has no time limit. Tenants may read the errors, so they contain neither the proxy nor its response. */
export function openTunnel(proxy: Proxy, to: { host: string; port: number }, done: Done): Dialling {
  const authority = `${isIPv6(to.host) ? `[${to.host}]` : to.host}:${to.port}`;
  const request = (proxy.isTls ? https : http).request({
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    agent: false,
    maxHeaderSize: maxHeaderBytes,
  });
  let open: Socket | undefined;
  request.once('connect', (response: IncomingMessage, socket: Socket, head: Buffer) => {
    open = socket;
    // Until the caller adds a listener: an error without one would end the process.
    socket.on('error', () => {});
    const error = refusalOf(response.statusCode ?? 0, head);
    if (error === null) return done(null, socket);
    socket.destroy();
    done(error, null);
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (open === undefined) done(unreachable(error), null);
  });
  request.end();
  return {
    destroy() {
      request.destroy();
      open?.destroy();
    },
  };
}

export const proxyFault = 'EGRESS_PROXY_FAULT';
const refused = 'EGRESS_PROXY_REFUSED';

function refusalOf(status: number, head: Buffer): Error | null {
  if (status < 200 || status > 299) {
    return proxyError(`the proxy refused: ${status}`, status === 407 ? proxyFault : refused);
  }
  // Nothing was sent through the tunnel yet.
  return head.length > 0 ? proxyError('the proxy sent more than its response', proxyFault) : null;
}

function unreachable({ code = 'UNKNOWN' }: NodeJS.ErrnoException): Error {
  if (code.startsWith('HPE_')) return proxyError('the proxy sent no HTTP response', proxyFault);
  // Some proxies close the connection where others respond with 502.
  if (code === 'ECONNRESET') return proxyError('the proxy closed the connection', refused);
  return proxyError(`the proxy cannot be reached: ${code}`, proxyFault);
}

function proxyError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
