import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../apiClient.ts';
import type { Tally } from './tally.ts';

const terminal = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED']);
const retryMs = 100;

/** @throws what clients must never see */
export function expectStatus(answer: { status: number }, status: number): void {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}`);
}

/** Waits with `?wait` until the execution has ended, as long as it takes. */
export async function waitToEnd(api: ApiClient, tally: Tally, id: string): Promise<void> {
  for (let status: unknown = null; !terminal.has(String(status)); ) {
    const answer = await tally.ask('GET ?wait', async () => {
      const got = await api.get(`/v1/executions/${id}?wait=15`);
      expectStatus(got, 200);
      return got;
    });
    status = answer?.body['status'];
    if (answer === null) await delay(retryMs);
  }
}

/** Follows the events until the execution has ended; a stream that ends before is gone on with where it was. */
export async function followToEnd(api: ApiClient, tally: Tally, id: string): Promise<void> {
  let lastId = '';
  for (let hasEnded = false; !hasEnded; ) {
    const text = await tally.ask('GET events', async () => {
      const headers = lastId === '' ? {} : { 'last-event-id': lastId };
      const signal = AbortSignal.timeout(120_000);
      const answer = await api.fetch(`/v1/executions/${id}/events`, { headers, signal });
      if (answer.status !== 204) expectStatus(answer, 200);
      return answer.status === 204 ? null : await answer.text();
    });
    hasEnded = text === null ? lastId !== '' : /"status":"(COMPLETED|FAILED|CANCELLED|EXPIRED)"/.test(text);
    lastId = [...(text ?? '').matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? lastId;
    if (hasEnded) return;
    tally.resumed += 1;
    await delay(retryMs);
  }
}
