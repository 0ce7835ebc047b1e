import { randomUUID } from 'node:crypto';
import { nowMs } from './clock.ts';
import type { Http } from './http.ts';

/** One accepted create. */
export type Created = { id: string; sentAtMs: number; latencyMs: number };

/** One create as a client would send it: an idempotency key of its own, a prompt that differs. */
export async function createOne(api: Http): Promise<Created> {
  const key = randomUUID();
  const body = { model: 'sandbox-text', input: { prompt: `measure ${key}` } };
  const sentAtMs = nowMs();
  const { id } = (await api.post('/v1/executions', body, 202, { 'idempotency-key': key })) as { id: string };
  return { id, sentAtMs, latencyMs: nowMs() - sentAtMs };
}

/** `clients` create one after the other, each, while `goesOn`. Rejects when a create is refused. */
export async function createMany(api: Http, clients: number, goesOn: () => boolean): Promise<Created[]> {
  const created: Created[] = [];
  const client = async () => {
    while (goesOn()) created.push(await createOne(api));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return created;
}

/** `createMany`, `count` in all. */
export function createCount(api: Http, clients: number, count: number): Promise<Created[]> {
  let left = count;
  return createMany(api, Math.min(clients, count), () => left-- > 0);
}
