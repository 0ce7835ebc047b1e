import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import type { Dialling } from './dial.ts';
import type { Proxy } from './proxy.ts';

type Done = (...outcome: [null, Socket] | [Error, null]) => void;

const maxHeaderBytes = 8192;

/**
 * Asks a proxy for a connection to an address (or a name). No time limit of its own. The errors, which tenants may read,
 * name neither the proxy nor what it answered.
 */
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
    // Between two listeners of others: a socket that fails unheard would end the process.
    socket.on('error', () => {});
    const problem = problemOf(response.statusCode ?? 0, head);
    if (problem === null) return done(null, socket);
    socket.destroy();
    done(proxyError(problem), null);
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (open === undefined) done(proxyError(describe(error)), null);
  });
  request.end();
  return {
    destroy() {
      request.destroy();
      open?.destroy();
    },
  };
}

function problemOf(status: number, head: Buffer): string | null {
  if (status < 200 || status > 299) return `the proxy refused: ${status}`;
  // Nobody has been asked anything yet.
  return head.length > 0 ? 'the proxy sent more than its answer' : null;
}

function describe({ code = 'UNKNOWN' }: NodeJS.ErrnoException): string {
  return code.startsWith('HPE_') ? 'the proxy gave no HTTP answer' : `the proxy cannot be reached: ${code}`;
}

function proxyError(message: string): Error {
  return Object.assign(new Error(message), { code: 'EGRESS_PROXY' });
}
