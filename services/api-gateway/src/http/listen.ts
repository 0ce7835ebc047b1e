import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { invalidField } from '@holdfast/domain/errors';
import { classesOf, closeServer, http, type ListenAt, listenAt } from '@holdfast/kit/http';
import type { Express } from 'express';
import { withholdBody } from './body.ts';
import { refuseConnect, respondBrokenRequest } from './errors.ts';

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
export async function listen(app: Express, at: ListenAt, maxPerMinute: number): Promise<Listening> {
  const server = http.createServer({
    ...classesOf(app),
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
  });
  /** With the last response in flight. A set of responses would keep each until the next major garbage collection. */
  const connections = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, null);
    socket.once('close', () => connections.delete(socket));
  });
  let isRetiring = false;
  let isClosing = false;
  const refuse = respondBrokenRequest(maxPerMinute);
  const onRequest: RequestListener = (request, response) => {
    const fault = faultOfHead(request);
    if (fault) return refuse(fault, request.socket);
    if (isRetiring) response.setHeader('Connection', 'close');
    const { socket } = request;
    connections.set(socket, response);
    response.once('close', () => {
      if (connections.get(socket) === response) connections.set(socket, null);
    });
    // A kept-alive connection would keep the server open.
    response.once('finish', () => isClosing && socket.end());
    app(request, response);
  };
  function retire(): void {
    isRetiring = true;
    for (const response of connections.values())
      if (response?.headersSent === false) response.setHeader('Connection', 'close');
  }
  function dropIdle(): void {
    for (const [socket, response] of connections) if (response === null) socket.destroy();
  }
  server.on('request', onRequest);
  server.on('checkContinue', (request, response) => {
    withholdBody(request, response);
    onRequest(request, response);
  });
  // Without this, an unknown Expect header gets a bare 417.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket: Socket) => {
    // It would become part of the response that is being sent.
    if (connections.get(socket)?.headersSent) socket.destroy();
    else refuse(error, socket);
  });
  server.on('connect', refuseConnect(maxPerMinute));
  return {
    port: await listenAt(server, at),
    retire,
    async close() {
      retire();
      isClosing = true;
      // After what has come while this process was busy.
      const idleTimer = setTimeout(() => setImmediate(dropIdle), headTimeoutMs);
      await closeServer(server, finishTimeoutMs);
      clearTimeout(idleTimer);
    },
  };
}

/** What Node accepts; its own refusal of a head without Host (RFC 9112, section 3.2) has no body. */
function faultOfHead(request: IncomingMessage): Error | null {
  const lacksHost = request.httpVersion === '1.1' && request.headers.host === undefined;
  if (!isTarget(request.url) || lacksHost) return new Error('invalid head');
  const name = repeatedHeader(request);
  if (name === undefined) return null;
  return invalidField(name, 'INVALID_FORMAT', `The header ${name} must be sent once.`);
}

/** Node takes the first value or joins them, and a proxy may have judged another. */
const singleHeaders = ['Host', 'Authorization', 'Content-Type', 'Idempotency-Key'];

function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return singleHeaders.find((name) => {
    const at = names.indexOf(name.toLowerCase());
    return at !== -1 && names.includes(name.toLowerCase(), at + 1);
  });
}

/** Express's router passes others on to its own 404. */
function isTarget(url = ''): boolean {
  return url.startsWith('/') || url === '*' || URL.canParse(url);
}
