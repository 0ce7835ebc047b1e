import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeServer, type ListenAt, listenAt } from '@holdfast/kit/health';
import { withholdBody } from './http/body.ts';
import { refuseConnect, respondBrokenRequest } from './http/errors.ts';

/** With files on disk, uploads arrive here; a slow one may take as long as its URL is valid. */
const requestTimeoutMs = 3_600_000;

/** Longer than proxies keep idle connections (usually 60 s), so that they never send on one that was just closed. */
const keepAliveMs = 75_000;

/** On close, how long a connection may take to deliver the head of a request that is already on its way. */
const headTimeoutMs = 1000;
/** On close, how long requests in flight may take; slower uploads and downloads are cut off. */
const finishTimeoutMs = 24_000;

export type Listening = {
  port: number;
  /** From now on every response closes its connection, so that clients move to another gateway. */
  retire(): void;
  /** Stops accepting, and resolves when every request in flight has finished or was cut off. */
  close(): Promise<void>;
};

/** Serves `app` at a port; 0 chooses a free one. @throws when the port is in use */
export async function listen(app: RequestListener, at: ListenAt, maxPerMinute: number): Promise<Listening> {
  const server = createServer({
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
  });
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const inFlight = new Set<ServerResponse>();
  let isRetiring = false;
  let isClosing = false;
  const onRequest: RequestListener = (request, response) => {
    if (isRetiring) response.setHeader('Connection', 'close');
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
    // A kept-alive connection would keep the server open.
    response.once('finish', () => isClosing && request.socket.end());
    app(request, response);
  };
  function retire(): void {
    isRetiring = true;
    for (const response of inFlight) if (!response.headersSent) response.setHeader('Connection', 'close');
  }
  function dropIdle(): void {
    const busy = new Set([...inFlight].map(({ socket }) => socket));
    for (const socket of connections) if (!busy.has(socket)) socket.destroy();
  }
  server.on('request', onRequest);
  server.on('checkContinue', (request, response) => {
    withholdBody(request, response);
    onRequest(request, response);
  });
  // Without this, an unknown Expect header gets a bare 417.
  server.on('checkExpectation', onRequest);
  server.on('clientError', respondBrokenRequest(maxPerMinute));
  server.on('connect', refuseConnect(maxPerMinute));
  return {
    port: await listenAt(server, at),
    retire,
    async close() {
      retire();
      isClosing = true;
      const idleTimer = setTimeout(dropIdle, headTimeoutMs);
      await closeServer(server, finishTimeoutMs);
      clearTimeout(idleTimer);
    },
  };
}
