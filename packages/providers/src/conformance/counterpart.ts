import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { parseJson } from '../parseJson.ts';

export type Received = { method: string; path: string; headers: IncomingMessage['headers']; json: unknown };

/** How the other side behaves: answers like a server, or in one of the ways in which servers go wrong. */
export type Reply =
  | { status: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | 'silence'
  | 'reset'
  | 'half a body'
  | 'more than is read';

export type Counterpart = {
  baseUrl: string;
  received: Received[];
  /** What the next requests get; the last one stays. */
  reply(...replies: Reply[]): void;
  /** Resolves once a request has come in and its socket is closed again. */
  hungUp: Promise<void>;
  close(): Promise<void>;
};

/** The provider's side of the wire: real HTTP on a free loopback port, saying what the test tells it to. */
export async function startCounterpart(): Promise<Counterpart> {
  const received: Received[] = [];
  const hungUp = Promise.withResolvers<void>();
  let replies: Reply[] = [{ status: 500 }];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const json = await readJson(request);
    received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, json });
    const reply = replies[0] ?? 'reset';
    if (replies.length > 1) replies = replies.slice(1);
    send(reply, response);
  };
  const server = createServer((request, response) => {
    response.on('close', () => hungUp.resolve());
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    hungUp: hungUp.promise,
    reply(...given) {
      replies = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply === 'silence') return;
  if (reply === 'reset') {
    response.socket?.resetAndDestroy();
  } else if (reply === 'half a body') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"id":"', () => response.socket?.destroy());
  } else if (reply === 'more than is read') {
    const piece = Buffer.alloc(1024 * 1024, 'A');
    response.writeHead(200, { 'content-type': 'application/json' });
    pipeline(Readable.from(Array.from({ length: 130 }, () => piece)), response, () => {});
  } else {
    const text = reply.text ?? JSON.stringify(reply.json ?? {});
    const contentType = reply.text === undefined ? 'application/json' : 'text/html';
    response.writeHead(reply.status, { 'content-type': contentType, ...reply.headers }).end(text);
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : (parseJson(Buffer.from(text)) ?? text);
}
