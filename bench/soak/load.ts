import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import { type Connection, openConnection } from '../load/connection.ts';
import { follow } from './following.ts';
import { openIdSet } from './idSet.ts';
import { upload } from './upload.ts';
import { type Work, workOf } from './work.ts';

/** Longer than any planned fault. */
const giveUpAfterMs = 180_000;
const tryAgainMs = 250;

export type SoakLoad = ReturnType<typeof openLoad>;

type User = { key: string; api: ApiClient };

export function openLoad(origin: string, keys: readonly string[], clients: number) {
  const { hostname, port } = new URL(origin);
  const users = keys.map((key): User => ({ key, api: apiClient(origin, key) }));
  const free = Array.from({ length: clients }, () => openConnection(hostname, Number(port)));
  const accepted = openIdSet();
  const inFlight = new Set<Promise<void>>();
  const troubles: string[] = [];
  const counts = { asked: 0, retried: 0, heldBack: 0, unavailable: 0 };
  let nth = 0;

  /** Retries with the same key until there is a response. */
  async function createSurely(connection: Connection, user: User, work: Work): Promise<string | null> {
    const request = requestOf(hostname, user.key, work);
    const giveUpAtMs = performance.now() + giveUpAfterMs;
    for (;;) {
      const answer = await connection.exchange(request).catch(() => null);
      if (answer?.status === 202) return /"id":"(exec_[^"]+)"/.exec(answer.body)?.[1] ?? null;
      const isAway = answer === null || answer.status >= 500 || answer.status === 429;
      if (!isAway || performance.now() > giveUpAtMs) {
        troubles.push(`a create was answered ${answer?.status}: ${answer?.body.slice(0, 200)}`);
        return null;
      }
      counts.retried += 1;
      await delay(tryAgainMs);
    }
  }

  async function one(connection: Connection, index: number): Promise<void> {
    const user = users[index % users.length] as User;
    const work = workOf(Math.floor(index / users.length));
    try {
      const input = work.hasUpload ? { ...work.input, source_image: await upload(user.api) } : work.input;
      const id = await createSurely(connection, user, { ...work, input });
      if (id !== null) {
        accepted.add(id);
        free.push(connection);
        await follow(user.api, id, work.following, counts, troubles);
        return;
      }
    } catch {
      counts.unavailable += 1; // The upload broke off: its user does without.
    }
    free.push(connection);
  }

  function begin(): boolean {
    const connection = free.shift();
    if (!connection) return false;
    const ended = one(connection, nth++).finally(() => inFlight.delete(ended));
    inFlight.add(ended);
    return true;
  }

  return {
    accepted,
    troubles,
    counts,
    /** Arrivals without a free connection are dropped and counted. */
    async steady(ratePerS: number, stop: AbortSignal): Promise<void> {
      const startMs = performance.now();
      for (let due = 0; !stop.aborted; await delay(2)) {
        const until = ((performance.now() - startMs) / 1000) * ratePerS;
        for (; due < until; due++) if (!begin()) counts.heldBack += 1;
      }
    },
    async flatOut(seconds: number): Promise<void> {
      const endMs = performance.now() + seconds * 1000;
      for (; performance.now() < endMs; await delay(1)) while (begin());
    },
    async idle(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

function requestOf(host: string, key: string, { model, input }: Work): string {
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
