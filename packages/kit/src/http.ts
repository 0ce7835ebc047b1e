import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An import of `node:http` reads all of its exports, and so loads Node's own fetch and WebSocket: 13 MB (ADR 0019). */
export const http = process.getBuiltinModule('node:http');

/** For servers of an Express app: to change the prototypes of a request, as Express does, costs V8 a microsecond (ADR 0019). */
export function classesOf(app: { request: object; response: object }) {
  class Request extends http.IncomingMessage {}
  class Response extends http.ServerResponse {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** LISTEN_HOST and a port; 0: any free one. */
export type ListenAt = { host: string | undefined; port: number };

const defaultCloseWithinMs = 5000;

/** Resolves with the port. @throws when the port is in use */
export async function listenAt(server: Server, { host, port }: ListenAt): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host && { host }) }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Drops what is open after `withinMs`. Node.js does not count connections that balancers open in advance as idle. */
export function closeServer(server: Server, withinMs = defaultCloseWithinMs): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
    server.closeIdleConnections();
  });
}
