import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Responds to a request, or returns false to pass it on. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A server in front of a fake provider that changes some of its responses. */
export async function startFront(intercept: Intercept) {
  let behind = '';
  const server = createServer((request, response) => {
    if (intercept(request, response)) return;
    void forward(behind, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(url: string) {
      behind = url;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(behind: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = 'GET', headers, url = '/' } = request;
  const reply = await fetch(new URL(url, behind), {
    method,
    headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
    ...(method === 'POST' && { body: Buffer.concat(chunks) }),
  });
  const contentType = reply.headers.get('content-type') ?? 'application/json';
  response
    .writeHead(reply.status, { 'content-type': contentType })
    .end(Buffer.from(await reply.arrayBuffer()));
}
