import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handle = (incoming: IncomingMessage, response: ServerResponse) => unknown;

/** A server on loopback. A response whose handling fails is broken off: what it waits for is gone, or its client is. */
export async function startProxy(handle: Handle) {
  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    Promise.resolve(handle(incoming, response)).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
