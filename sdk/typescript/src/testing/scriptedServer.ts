import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Holdfast } from '../client.ts';
import type { HoldfastOptions } from '../config.ts';

export type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string };
export type Step = (response: ServerResponse, received: Received) => void;

/** Responds with JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

export const refusal = (
  status: number,
  code: string,
  retryable: boolean,
  headers?: Record<string, string>,
): Step =>
  json(
    status,
    { error: { code, message: `It is ${code}.`, retryable, request_id: 'req_1', details: [] } },
    headers,
  );

/** Breaks the connection without a response. */
export const cut: Step = (response) => void response.destroy();

/** Responds to each request with the next step, and to all later ones with the last. */
export async function startScriptedServer(...steps: Step[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body };
      const step = steps[Math.min(received.length, steps.length - 1)];
      received.push(one);
      step?.(response, one);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    received,
    baseUrl,
    client: (options: HoldfastOptions = {}) => new Holdfast({ baseUrl, apiKey: 'sk_test', ...options }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export const executionAs = (status: string, more: Record<string, unknown> = {}) => ({
  id: 'exec_1',
  status,
  model: 'm',
  created_at: '2026-03-20T10:30:00.000Z',
  expires_at: '2026-03-20T10:40:00.000Z',
  completed_at: null,
  error: null,
  ...more,
});
