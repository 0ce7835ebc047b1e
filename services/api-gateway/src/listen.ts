import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '@holdfast/kit/health';
import { answerBrokenRequest } from './http/answerBrokenRequest.ts';

/** Uploads go through here when files lie on disk: slow ones are given as long as their URL lives. */
const requestTimeoutMs = 3_600_000;

export type Listening = {
  port: number;
  /** Accepts no more, and resolves when every request in hand is answered. */
  close(): Promise<void>;
};

/** Serves `app` on a port; 0 chooses a free one. @throws when the port is in use */
export async function listen(app: RequestListener, port: number, perMinute: number): Promise<Listening> {
  const server = createServer({ requireHostHeader: false, requestTimeout: requestTimeoutMs });
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      closing = true;
      await closeServer(server);
    },
  };
}
