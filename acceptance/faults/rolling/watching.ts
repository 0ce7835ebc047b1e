import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '@holdfast/testkit/apiClient';
import type { Tally } from './tally.ts';

const terminal = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED']);
const hasEnding = /"status":"(COMPLETED|FAILED|CANCELLED|EXPIRED)"/;
const retryMs = 100;

/** @throws if the status is another */
export function expectStatus(response: { status: number }, status: number): void {
  if (response.status !== status) throw new Error(`${response.status} instead of ${status}`);
}

/** Waits with `?wait` until the execution has ended, or a request failed. */
export async function waitToEnd(api: ApiClient, tally: Tally, id: string): Promise<void> {
  for (let status: string | undefined = ''; status !== undefined && !terminal.has(status); ) {
    const response = await tally.ask('GET ?wait', async () => {
      const got = await api.get(`/v1/executions/${id}?wait=15`);
      expectStatus(got, 200);
      return got;
    });
    status = response?.body['status'] as string | undefined;
  }
}

/** Follows the events until the execution has ended or a request failed, and resumes streams that end early. */
export async function followToEnd(api: ApiClient, tally: Tally, id: string): Promise<void> {
  for (let lastId = ''; ; ) {
    const text = await tally.ask('GET events', () => eventsFrom(api, id, lastId));
    if (text === null || text === '' || hasEnding.test(text)) return;
    lastId = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? lastId;
    await delay(retryMs);
  }
}

/** The text of the stream; empty if there are no more events. */
async function eventsFrom(api: ApiClient, id: string, lastId: string): Promise<string> {
  const headers = lastId === '' ? {} : { 'last-event-id': lastId };
  const signal = AbortSignal.timeout(120_000);
  const response = await api.fetch(`/v1/executions/${id}/events`, { headers, signal });
  if (response.status !== 204) expectStatus(response, 200);
  return await response.text();
}
