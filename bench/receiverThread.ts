// A webhook receiver in a thread of its own: arrival times must not wait for anything else here.
import { type AddressInfo, createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { nowMs } from './clock.ts';
import { onMessages } from './onMessages.ts';
import type { Arrival } from './receiver.ts';

const send = parentPort?.postMessage.bind(parentPort);
const answer = 'HTTP/1.1 204 No Content\r\n\r\n';
/** Told of together; when each came is noted before. */
const tellEveryMs = 5;
let arrived: Arrival[] = [];

function note(body: string, atMs: number): void {
  if (arrived.length === 0) setTimeout(tell, tellEveryMs);
  arrived.push({ executionId: field(body, 'execution_id'), type: field(body, 'type'), atMs });
}

/** The envelope's fields come before what might hold their like. */
function field(body: string, name: string): string {
  const value = new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1];
  if (value === undefined) throw new Error(`a webhook without ${name}: ${body}`);
  return value;
}

function tell(): void {
  send?.(arrived);
  arrived = [];
}

const server = createServer({ noDelay: true }, (socket) =>
  onMessages(socket, ({ body }) => {
    note(body, nowMs());
    return answer;
  }),
);
server.listen(0, '127.0.0.1', () => send?.((server.address() as AddressInfo).port));
