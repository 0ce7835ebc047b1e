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

async function create(
  connection: Connection,
  { apiKey, keyIndex }: Turn,
  dueAtMs: number,
  given: string | undefined,
): Promise<Created> {
  const key = `sdk_${Date.now().toString(16)}_${randomUUID()}`;
  const body = given ?? `{"model":"sandbox-text","input":{"prompt":"measure ${key}"}}`;
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
  return { id: copied(id), sentAtMs: dueAtMs, latencyMs, keyIndex };
}

/** A slice would keep its response in memory, and the collection of so much garbage would delay requests. */
const copied = (slice: string) => Buffer.from(slice, 'latin1').toString('latin1');

type Turn = { apiKey: string; keyIndex: number };

function roundRobin(keys: string[]): () => Turn {
  let next = 0;
  return () => {
    const keyIndex = next++ % keys.length;
    return { apiKey: keys[keyIndex] ?? '', keyIndex };
  };
}

/** When the next create is due; null after the last. */
type Schedule = () => number | null;

function withoutPause({ count, seconds }: Load): Schedule {
  const endMs = nowMs() + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let left = count ?? Number.POSITIVE_INFINITY;
  return () => (left-- > 0 && nowMs() < endMs ? nowMs() : null);
}

function atFixedTimes({ seconds = 0 }: Load, ratePerS: number): Schedule {
  const startMs = nowMs();
  const total = Math.round(ratePerS * seconds);
  let next = 0;
  return () => (next < total ? startMs + (next++ / ratePerS) * 1000 : null);
}

async function createAll(load: Load): Promise<Created[]> {
  const nextKey = roundRobin(load.keys);
  const nextDueMs = load.ratePerS === undefined ? withoutPause(load) : atFixedTimes(load, load.ratePerS);
  const created: Created[] = [];
  const client = async (connection: Connection) => {
    for (let dueAtMs = nextDueMs(); dueAtMs !== null; dueAtMs = nextDueMs()) {
      const aheadMs = dueAtMs - nowMs();
      if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
      created.push(await create(connection, nextKey(), dueAtMs, load.body));
    }
  };
  await Promise.all(connected(load.clients).map(client));
  return created;
}

parentPort?.on('message', (load: Load) => {
  createAll(load).then(
    (created) => send?.({ created } satisfies LoadResult),
    (error: Error) => send?.({ error: error.message } satisfies LoadResult),
  );
});
