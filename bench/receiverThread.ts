// A webhook receiver in a thread of its own: arrival times must not wait for the load's event loop.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { nowMs } from './clock.ts';
import type { Arrival } from './receiver.ts';

const send = parentPort?.postMessage.bind(parentPort);
let arrived: Arrival[] = [];

function note(body: string, atMs: number): void {
  const event = JSON.parse(body) as { type: string; execution_id: string };
  if (arrived.length === 0) setImmediate(tell);
  arrived.push({ executionId: event.execution_id, type: event.type, atMs });
}

function tell(): void {
  send?.(arrived);
  arrived = [];
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const atMs = nowMs();
    response.writeHead(204).end();
    note(body, atMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => send?.((server.address() as AddressInfo).port));
