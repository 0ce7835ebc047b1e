import { createPrivateKey } from 'node:crypto';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { until } from '@holdfast/testkit/until';
import { createEgressPolicy } from '../policy.ts';
import { type PostOptions, type PostResult, postJson } from '../post.ts';

/** For `holdfast.test` and 127.0.0.1; self-signed, valid until 2120. */
export const key = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 't9KgeounrfaoLgpnLfZgHsyfikDxLdSf_3mG0t1S638',
    y: 'az57m1cUQj85CAYDRIL01N50-w8BBn9odkrUvNgMBkY',
    d: 'huYDQNgtLJmcJcXBGXxMwk-SGoFUhtMzE1cRJAGH8kg',
  },
}).export({ format: 'pem', type: 'pkcs8' });
const der =
  'MIIBczCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1ob2xkZmFzdC50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIx' +
  'MjAwMTAxMDAwMDAwWjAYMRYwFAYDVQQDDA1ob2xkZmFzdC50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEt9Kgeounrfao' +
  'LgpnLfZgHsyfikDxLdSf/3mG0t1S639rPnubVxRCPzkIBgNEgvTU3nT7DwEGf2h2StS82AwGRqNSMFAwHgYDVR0RBBcwFYINaG9s' +
  'ZGZhc3QudGVzdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQgEre4EyvOXipkIlxsuJWWCj5hLzAKBggqhkjOPQQD' +
  'AgNIADBFAiEA13O3O7+BSNlkWlWlLZU/9obHxEc8GShEV1+TSCPL3XACICk9PE4kX2tAhcDG6wgo2e3yzESabuBfpFh6siZDuxuL';
export const cert = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;

export type ProxyServer = {
  port: number;
  /** The request lines, such as `CONNECT 127.0.0.1:443`. */
  requests: string[];
  /** The `Proxy-Authorization` of each. */
  credentials: (string | undefined)[];
  /** The number of open connections. */
  open(): number;
  close(): Promise<void>;
};

type OnConnect = (socket: Socket, authority: string) => void;

/** A CONNECT proxy. By default it opens the tunnel. */
export async function listenProxy(onConnect: OnConnect = tunnel, isTls = false): Promise<ProxyServer> {
  const requests: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = isTls ? https.createServer({ key, cert }) : http.createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (req, res) => {
    requests.push(`${req.method} ${req.url}`);
    res.writeHead(405).end();
  });
  server.on('connect', (req: http.IncomingMessage, socket: Socket) => {
    requests.push(`CONNECT ${req.url}`);
    credentials.push(req.headers['proxy-authorization']);
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    onConnect(socket, req.url ?? '');
    if (onConnect !== tunnel) socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, requests, credentials, open: () => sockets.size, close };
}

/** Connects to loopback, whatever the name. */
export function tunnel(socket: Socket, authority: string): void {
  const target = net.connect(Number(authority.split(':').at(-1)), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
}

export type RawServer = {
  port: number;
  url: string;
  /** All accepted sockets. */
  sockets: Socket[];
  /** The received text by socket. */
  received: string[];
  close(): Promise<void>;
};

/** A TCP server. `onData` gets all text that a socket has received so far. */
export async function listenRaw(
  onData: (socket: Socket, received: string, number: number) => void = () => {},
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const sockets: Socket[] = [];
  const received: string[] = [];
  const server = net.createServer((socket) => {
    const number = sockets.push(socket) - 1;
    received[number] = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received[number] += String(chunk);
      onData(socket, received[number] ?? '', number);
    });
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, url: `http://127.0.0.1:${port}`, sockets, received, close };
}

/** Resolves when the socket is closed. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

export type TestServer = {
  port: number;
  url: string;
  requests: () => number;
  /** Closes every connection, also of requests without a response yet. */
  cut(): void;
  close(): Promise<void>;
};

/** An HTTP server on a free loopback port. */
export async function startTestServer(handler: RequestListener): Promise<TestServer> {
  let requests = 0;
  const server = http.createServer((req, res) => {
    requests += 1;
    handler(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const cut = () => server.closeAllConnections();
  return { port, url: `http://127.0.0.1:${port}`, requests: () => requests, cut, close };
}

/** Servers of a test file; `closeAll` is for `afterEach`. */
export function testServers() {
  const servers: TestServer[] = [];
  return {
    async serve(handler: RequestListener): Promise<TestServer> {
      const server = await startTestServer(handler);
      servers.push(server);
      return server;
    },
    async closeAll(): Promise<void> {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
  };
}

const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true });

/** Posts as for a webhook, but to loopback. */
export const postLocally = (url: string, options: Partial<PostOptions> = {}) =>
  postJson({
    url,
    body: '{"a":1}',
    headers: {},
    timeoutMs: 10_000,
    maxResponseBytes: 65_536,
    policy,
    ...options,
  });

/**
 * Posts for 300 ms to a receiver that never finishes. The time covers the connect too, for which a machine that stalls
 * may need all of it: then another receiver gets another post.
 */
export const postInVain = <Server extends { url: string }>(
  start: () => Promise<Server>,
  options: Partial<PostOptions> = {},
): Promise<{ server: Server; result: PostResult }> =>
  until('a post with a connection', async () => {
    const server = await start();
    const result = await postLocally(server.url, { ...options, timeoutMs: 300 });
    const isConnected = result.ok || result.message !== 'no connection within 300 ms';
    return isConnected ? { server, result } : null;
  });
