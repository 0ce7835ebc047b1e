import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { headers: IncomingHttpHeaders; body: string; path: string; atMs: number };
export type Responder = (request: Received, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** The response from now on; 200 by default. */
  respond: Responder;
  close(): Promise<void>;
};

export const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (_request, response) =>
    void response.writeHead(code, headers).end();

const loopback = { bind: '127.0.0.1', host: '127.0.0.1' };

export async function startReceiver(at: { bind: string; host: string } = loopback): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      const received = { headers, body, path, atMs: performance.now() };
      receiver.received.push(received);
      receiver.respond(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, at.bind, resolve));
  const receiver: Receiver = {
    url: `http://${at.host}:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    respond: status(200),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
