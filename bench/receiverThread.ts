// The thread of receiver.ts, so that arrival times do not depend on other work of the process.
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { serveConnection } from './rawHttp.ts';
import type { Arrival, ReceiverSettings, ServerKind } from './receiver.ts';
import { nowMs } from './statistics.ts';

const send = parentPort?.postMessage.bind(parentPort);
const sendEveryMs = 5;
let arrived: Arrival[] = [];
let hanging = new Set<string>();
let responseMs = 0;
let isDown = false;

parentPort?.on('message', (settings: Partial<ReceiverSettings>) => {
  if (settings.hanging) hanging = new Set(settings.hanging);
  responseMs = settings.responseMs ?? responseMs;
  isDown = settings.isDown ?? isDown;
});

function receive(path: string, body: string, respond: (status: 204 | 503) => void): void {
  const atMs = nowMs();
  if (isDown) return respond(503);
  if (arrived.length === 0) setTimeout(sendArrived, sendEveryMs);
  arrived.push({
    path,
    eventId: field(body, 'id'),
    executionId: field(body, 'execution_id'),
    type: field(body, 'type'),
    eventAtMs: Date.parse(field(body, 'timestamp')),
    atMs,
  });
  if (hanging.has(path)) return;
  if (responseMs === 0) respond(204);
  else setTimeout(respond, responseMs, 204);
}

/** The envelope's fields come before `data`, which may have fields of the same names. */
function field(body: string, name: string): string {
  const value = new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1];
  return value ?? '';
}

function sendArrived(): void {
  send?.(arrived);
  arrived = [];
}

const responses = {
  204: 'HTTP/1.1 204 No Content\r\n\r\n',
  503: 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n',
};

const servers = {
  raw: () =>
    createServer({ noDelay: true }, (socket) =>
      serveConnection(socket, ({ head, body }, write) =>
        receive(head.split(' ', 2)[1] ?? '/', body, (status) => write(responses[status])),
      ),
    ),
  node: () =>
    createHttpServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () =>
        receive(request.url ?? '/', body, (status) => response.writeHead(status).end()),
      );
    }),
} satisfies Record<ServerKind, unknown>;

const server = servers[workerData as ServerKind]();
server.listen(0, '127.0.0.1', () => send?.((server.address() as AddressInfo).port));
