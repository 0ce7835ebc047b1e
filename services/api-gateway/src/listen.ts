import { createServer, type RequestListener } from 'node:http';
import { closeServer, type ListenAt, listenAt } from '@holdfast/kit/listen';
import { answerBrokenRequest, refuseConnect } from './http/answerBrokenRequest.ts';

/** Uploads go through here when files lie on disk: slow ones are given as long as their URL lives. */
const requestTimeoutMs = 3_600_000;

/** Longer than proxies keep an idle connection (60 s usually): what they send on it must not meet one that is just closed. */
const keepAliveMs = 75_000;

export type Listening = {
  port: number;
  /** Accepts no more, and resolves when every request in hand is answered. */
  close(): Promise<void>;
};

/** Serves `app` at a port; 0 chooses a free one. @throws when the port is in use */
export async function listen(app: RequestListener, at: ListenAt, perMinute: number): Promise<Listening> {
  const server = createServer({
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
  });
  let closing = false;
  const answer: RequestListener = (request, response) => {
    // A connection that is kept alive would otherwise hold the server open.
    if (closing) response.setHeader('Connection', 'close');
    response.once('finish', () => closing && request.socket.end());
    app(request, response);
  };
  server.on('request', answer);
  // An Expect that nobody knows is answered like any request, not by a bare 417.
  server.on('checkExpectation', answer);
  server.on('clientError', answerBrokenRequest(perMinute));
  server.on('connect', refuseConnect(perMinute));
  return {
    port: await listenAt(server, at),
    async close() {
      closing = true;
      await closeServer(server);
    },
  };
}
