import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type TestServer = { port: number; url: string; requests: () => number; close: () => Promise<void> };

/** A server on a free loopback port, for this package's tests. */
export async function listen(handler: RequestListener): Promise<TestServer> {
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
  return { port, url: `http://127.0.0.1:${port}`, requests: () => requests, close };
}
