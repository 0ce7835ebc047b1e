// Creates executions: the thread of openGenerator in threads.ts.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type Connection, openConnection } from '../rawHttp.ts';
import { nowMs } from '../statistics.ts';
import type { Created, Load, LoadResult } from './threads.ts';

const send = parentPort?.postMessage.bind(parentPort);
const { host, port } = workerData as { host: string; port: number };
const connections: Connection[] = [];

function connected(count: number): Connection[] {
  while (connections.length < count) connections.push(openConnection(host, port));
  return connections.slice(0, count);
}

async function create(connection: Connection, { apiKey, keyIndex }: Turn, dueAtMs: number): Promise<Created> {
  const key = `sdk_${Date.now().toString(16)}_${randomUUID()}`;
  const body = `{"model":"sandbox-text","input":{"prompt":"measure ${key}"}}`;
  const head = [
    'POST /v1/executions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Idempotency-Key: ${key}`,
  ].join('\r\n');
  const response = await connection.exchange(`${head}\r\n\r\n${body}`);
  const latencyMs = nowMs() - dueAtMs;
  if (response.status !== 202) throw new Error(`a create returned ${response.status}: ${response.body}`);
  const id = /"id":"([^"]+)"/.exec(response.body)?.[1];
  if (id === undefined) throw new Error(`a create returned no id: ${response.body}`);
  return { id, sentAtMs: dueAtMs, latencyMs, keyIndex };
}

type Turn = { apiKey: string; keyIndex: number };

function roundRobin(keys: string[]): () => Turn {
  let next = 0;
  return () => {
    const keyIndex = next++ % keys.length;
    return { apiKey: keys[keyIndex] ?? '', keyIndex };
  };
}

async function closedLoop({ keys, clients, count, seconds }: Load): Promise<Created[]> {
  const nextKey = roundRobin(keys);
  const endMs = nowMs() + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let left = count ?? Number.POSITIVE_INFINITY;
  const created: Created[] = [];
  const client = async (connection: Connection) => {
    while (left-- > 0 && nowMs() < endMs) created.push(await create(connection, nextKey(), nowMs()));
  };
  await Promise.all(connected(clients).map(client));
  return created;
}

async function openLoop({ keys, clients, seconds = 0 }: Load, ratePerS: number): Promise<Created[]> {
  const nextKey = roundRobin(keys);
  const free = connected(clients);
  const due: number[] = [];
  const running: Promise<void>[] = [];
  const created: Created[] = [];

  async function serve(connection: Connection): Promise<void> {
    for (let dueAtMs = due.shift(); dueAtMs !== undefined; dueAtMs = due.shift()) {
      created.push(await create(connection, nextKey(), dueAtMs));
    }
    free.push(connection);
  }

  const startMs = nowMs();
  const total = Math.round(ratePerS * seconds);
  for (let sent = 0; sent < total; ) {
    const until = Math.min(total, Math.ceil(((nowMs() - startMs) / 1000) * ratePerS));
    for (; sent < until; sent++) due.push(startMs + (sent / ratePerS) * 1000);
    // Round robin, so that the gateway closes none for idling.
    while (due.length > 0 && free.length > 0) running.push(serve(free.shift() as Connection));
    await sleep(1);
  }
  await Promise.all(running);
  return created;
}

parentPort?.on('message', (load: Load) => {
  const run = load.ratePerS === undefined ? closedLoop(load) : openLoop(load, load.ratePerS);
  run.then(
    (created) => send?.({ created } satisfies LoadResult),
    (error: Error) => send?.({ error: error.message } satisfies LoadResult),
  );
});
