import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '@holdfast/testkit/apiClient';
import type { Tally } from './tally.ts';
import { expectStatus, followToEnd, waitToEnd } from './watching.ts';

/** The maximum of concurrent requests, so that a slow machine gets less load instead of a backlog. */
const maxInFlight = 60;

const delayMs = () => randomInt(100, 2500);
const kinds = [
  () => ({ model: 'sandbox-text', input: { prompt: 'a word', mode: 'sync', delay_ms: delayMs() } }),
  () => ({ model: 'sandbox-text', input: { prompt: 'a word', mode: 'callback', delay_ms: delayMs() } }),
  // Its output is stored apart from its outcome.
  () => ({ model: 'sandbox-text', input: { prompt: 'many words', tokens: 5000 } }),
  () => ({ model: 'sandbox-image', input: { prompt: 'one', width: 64, height: 64, delay_ms: delayMs() } }),
];
const reads = [
  '/v1/executions?limit=20',
  '/v1/balance',
  '/v1/models',
  '/v1/webhooks/endpoints',
  '/v1/events',
];

export type Load = {
  /** The executions that were accepted. */
  accepted: string[];
  /** Starts no new requests, and resolves when the open ones have ended. */
  stop(): Promise<void>;
};

/**
 * Steady load of clients: `perSecond` executions (immediate, by callback, long texts, images) whose clients follow their events, wait
 * with `?wait`, or read; with every tenth a file upload and download; reads of all other lists.
 */
export function startLoad(api: ApiClient, tally: Tally, perSecond: number): Load {
  const accepted: string[] = [];
  const inFlight = new Set<Promise<void>>();
  let count = 0;
  let isOver = false;

  function begin(work: Promise<void>): void {
    const ended = work.finally(() => inFlight.delete(ended));
    inFlight.add(ended);
  }

  async function oneExecution(index: number): Promise<void> {
    const body = kinds[index % kinds.length]?.();
    const created = await tally.ask('POST /v1/executions', async () => {
      const response = await api.post('/v1/executions', body, { 'idempotency-key': randomUUID() });
      expectStatus(response, 202);
      return response.body['id'] as string;
    });
    if (created === null) return;
    accepted.push(created);
    if (index % 4 === 0) await followToEnd(api, tally, created);
    else if (index % 4 === 1) await waitToEnd(api, tally, created);
    else await read(api, tally, `/v1/executions/${created}`);
  }

  const timer = setInterval(() => {
    if (isOver || inFlight.size >= maxInFlight) return;
    begin(oneExecution(count));
    begin(read(api, tally, reads[count % reads.length] ?? ''));
    if (count % 10 === 0) begin(oneFile(api, tally));
    count += 1;
  }, 1000 / perSecond);

  return {
    accepted,
    async stop() {
      isOver = true;
      clearInterval(timer);
      while (inFlight.size > 0) await Promise.race([Promise.all(inFlight), delay(1000)]);
    },
  };
}

async function read(api: ApiClient, tally: Tally, path: string): Promise<void> {
  await tally.ask(`GET ${path}`, async () => expectStatus(await api.get(path), 200));
}

/** Uploads and confirms a file, downloads it, and compares the bytes. */
async function oneFile(api: ApiClient, tally: Tally): Promise<void> {
  const bytes = Buffer.from(randomBytes(100_000).toString('hex'));
  const headers = { 'content-type': 'text/plain' };
  const terms = { filename: 'a.txt', content_type: 'text/plain', size_bytes: bytes.length };
  const upload = await tally.ask('POST /v1/files/upload', async () => {
    const response = await api.post('/v1/files/upload', terms);
    expectStatus(response, 201);
    return response.body as { file_id: string; upload_url: string };
  });
  if (upload === null) return;
  await tally.ask('PUT upload_url', async () => {
    const response = await fetch(upload.upload_url, { method: 'PUT', headers, body: bytes });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  });
  await tally.ask('POST /v1/files/confirm', async () =>
    expectStatus(await api.post('/v1/files/confirm', { file_id: upload.file_id }), 200),
  );
  await tally.ask('GET download', async () => {
    const response = await api.fetch(`/v1/files/${upload.file_id}/download`);
    expectStatus(response, 200);
    if (!Buffer.from(await response.arrayBuffer()).equals(bytes)) throw new Error('other bytes came back');
  });
}
