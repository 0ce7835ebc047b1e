import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { ApiResponse } from '@holdfast/testkit/apiClient';

const isRetryable = (status: number) => status === 429 || status === 502 || status === 503 || status === 504;

/** Sends a request like a persistent client: repeats it until the response is final, for at most two minutes. */
export async function withRetries(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const deadlineMs = performance.now() + 120_000;
  for (;;) {
    let last: string;
    try {
      const reply = await send();
      if (!isRetryable(reply.status)) return reply;
      last = `${reply.status} ${JSON.stringify(reply.body)}`;
    } catch (error) {
      // No response, or a part of one: the client cannot know whether the request arrived.
      last = inspect(error);
    }
    if (performance.now() > deadlineMs) throw new Error(`no final response for two minutes; last: ${last}`);
    await delay(250);
  }
}
