// A webhook receiver as people write them, on Node's own HTTP server, in a thread of its own: see receiver.ts.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { nowMs } from '../clock.ts';
import type { HookArrival, ReceiverCommand } from './receiver.ts';

const send = parentPort?.postMessage.bind(parentPort);
/** Told of together; when each came is noted before. */
const tellEveryMs = 5;
let arrived: HookArrival[] = [];
let hanging = new Set<string>();

parentPort?.on('message', (command: ReceiverCommand) => {
  hanging = new Set(command.hang);
});

function note(path: string, body: string): void {
  if (arrived.length === 0) setTimeout(tell, tellEveryMs);
  const eventAtMs = Date.parse(/"timestamp":"([^"]+)"/.exec(body)?.[1] ?? '');
  arrived.push({ path, eventAtMs, atMs: nowMs() });
}

function tell(): void {
  send?.(arrived);
  arrived = [];
}

function answer(path: string, body: string, response: ServerResponse): void {
  note(path, body);
  if (!hanging.has(path)) response.writeHead(204).end();
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => answer(request.url ?? '/', body, response));
});
server.listen(0, '127.0.0.1', () => send?.((server.address() as AddressInfo).port));
