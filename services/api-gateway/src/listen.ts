import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeServer, type ListenAt, listenAt } from '@holdfast/kit/health';
import { withholdBody } from './http/body.ts';
import { refuseConnect, respondBrokenRequest } from './http/errors.ts';

/** Uploads go through here when files lie on disk: slow ones are given as long as their URL lives. */
const requestTimeoutMs = 3_600_000;

/** Longer than proxies keep an idle connection (60 s usually): what they send on it must not meet one that is just closed. */
const keepAliveMs = 75_000;

/** A request whose first bytes are on their way when the gateway closes has so long to come. */
const headWithinMs = 1000;
/** Requests in hand have so long when the gateway closes; slow uploads and downloads are cut off then. */
const finishWithinMs = 24_000;

export type Listening = {
  port: number;
  /** From now on each answer is the last on its connection, so that who asks again asks another gateway. */
  retire(): void;
  /** Accepts no more, and resolves when every request in hand is answered or cut off. */
  close(): Promise<void>;
};

/** Serves `app` at a port; 0 chooses a free one. @throws when the port is in use */
export async function listen(app: RequestListener, at: ListenAt, perMinute: number): Promise<Listening> {
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
  const inHand = new Set<ServerResponse>();
  let isRetiring = false;
  let isClosing = false;
  const answer: RequestListener = (request, response) => {
    if (isRetiring) response.setHeader('Connection', 'close');
    inHand.add(response);
    response.once('close', () => inHand.delete(response));
    // A connection that is kept alive would otherwise hold the server open.
    response.once('finish', () => isClosing && request.socket.end());
    app(request, response);
  };
  const answerWithheld: RequestListener = (request, response) => {
    withholdBody(request, response);
    answer(request, response);
  };
  function retire(): void {
    isRetiring = true;
    for (const response of inHand) if (!response.headersSent) response.setHeader('Connection', 'close');
  }
  function dropSilent(): void {
    const asking = new Set([...inHand].map(({ socket }) => socket));
    for (const socket of connections) if (!asking.has(socket)) socket.destroy();
  }
  server.on('request', answer);
  server.on('checkContinue', answerWithheld);
  // An Expect that nobody knows is answered like any request, not by a bare 417.
  server.on('checkExpectation', answer);
  server.on('clientError', respondBrokenRequest(perMinute));
  server.on('connect', refuseConnect(perMinute));
  return {
    port: await listenAt(server, at),
    retire,
    async close() {
      retire();
      isClosing = true;
      const silence = setTimeout(dropSilent, headWithinMs);
      await closeServer(server, finishWithinMs);
      clearTimeout(silence);
    },
  };
}
