import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@holdfast/db/client';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import { type Connection, openConnection } from '../rawHttp.ts';
import { readBacklog, sumOf } from './backlog.ts';
import { openIdSet } from './receiver.ts';
import { follow, type UserAction, uploadImage, userActionOf } from './userActions.ts';

/** Longer than any planned fault. */
const giveUpAfterMs = 180_000;
const retryEveryMs = 250;

export type SoakLoad = ReturnType<typeof openLoad>;

type User = { key: string; api: ApiClient };

export function openLoad(origin: string, keys: readonly string[], clients: number) {
  const { hostname, port } = new URL(origin);
  const users = keys.map((key): User => ({ key, api: apiClient(origin, key) }));
  const free = Array.from({ length: clients }, () => openConnection(hostname, Number(port)));
  const accepted = openIdSet();
  const inFlight = new Set<Promise<void>>();
  const problems: string[] = [];
  const counts = { sent: 0, retried: 0, dropped: 0, unavailable: 0 };
  let nth = 0;

  /** Retries with the same key until there is a response. */
  async function createWithRetries(
    connection: Connection,
    user: User,
    action: UserAction,
  ): Promise<string | null> {
    const request = requestOf(hostname, user.key, action);
    const giveUpAtMs = performance.now() + giveUpAfterMs;
    for (;;) {
      const response = await connection.exchange(request).catch(() => null);
      if (response?.status === 202) return /"id":"(exec_[^"]+)"/.exec(response.body)?.[1] ?? null;
      const isUnavailable = response === null || response.status >= 500 || response.status === 429;
      if (!isUnavailable || performance.now() > giveUpAtMs) {
        problems.push(`a create returned ${response?.status}: ${response?.body.slice(0, 200)}`);
        return null;
      }
      counts.retried += 1;
      await delay(retryEveryMs);
    }
  }

  async function runAction(connection: Connection, index: number): Promise<void> {
    const user = users[index % users.length] as User;
    const action = userActionOf(Math.floor(index / users.length));
    try {
      const { hasUpload, input: plain, followUp } = action;
      const input = hasUpload ? { ...plain, source_image: await uploadImage(user.api) } : plain;
      const id = await createWithRetries(connection, user, { ...action, input });
      if (id !== null) {
        accepted.add(id);
        free.push(connection);
        await follow(user.api, id, followUp, counts, problems);
        return;
      }
    } catch {
      counts.unavailable += 1; // The upload failed: its user gives up.
    }
    free.push(connection);
  }

  function startNext(): boolean {
    const connection = free.shift();
    if (!connection) return false;
    const ended = runAction(connection, nth++).finally(() => inFlight.delete(ended));
    inFlight.add(ended);
    return true;
  }

  return {
    accepted,
    problems,
    counts,
    /** Arrivals without a free connection are dropped and counted. */
    async steady(ratePerS: number, stop: AbortSignal): Promise<void> {
      const startMs = performance.now();
      for (let due = 0; !stop.aborted; await delay(2)) {
        const until = ((performance.now() - startMs) / 1000) * ratePerS;
        for (; due < until; due++) if (!startNext()) counts.dropped += 1;
      }
    },
    async flatOut(seconds: number): Promise<void> {
      const endMs = performance.now() + seconds * 1000;
      for (; performance.now() < endMs; await delay(1)) while (startNext());
    },
    async idle(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

function requestOf(host: string, key: string, { model, input }: UserAction): string {
  const body = JSON.stringify({ model, input });
  const head = [
    'POST /v1/executions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Idempotency-Key: ${randomUUID()}`,
  ].join('\r\n');
  return `${head}\r\n\r\n${body}`;
}

const warmUpS = 8;
const burstS = 10;
/** A tail of long executions says nothing about the rate. */
const tailShare = 0.03;
const longestS = 180;

/** Executions per second from create to delivery, with ramp-up and drain. */
export async function topRate(load: SoakLoad, db: Database): Promise<number> {
  await load.flatOut(warmUpS);
  await untilBelow(db, 50);
  const before = load.accepted.size();
  const startMs = performance.now();
  await load.flatOut(burstS);
  const accepted = load.accepted.size() - before;
  await untilBelow(db, Math.max(50, accepted * tailShare));
  return accepted / ((performance.now() - startMs) / 1000);
}

async function untilBelow(db: Database, count: number): Promise<void> {
  const giveUpAtMs = performance.now() + longestS * 1000;
  while (sumOf(await readBacklog(db)) > count) {
    if (performance.now() > giveUpAtMs) throw new Error('the backlog of the calibration does not drain');
    await delay(100);
  }
}
