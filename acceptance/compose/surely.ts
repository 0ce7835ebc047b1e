import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { ApiResponse } from '@holdfast/testkit/apiClient';

const isWorthAnother = (status: number) =>
  status === 429 || status === 502 || status === 503 || status === 504;

/**
 * Asks as a client does that wants it done: again until it is answered for good, for two minutes at most. Send creates
 * with an idempotency key.
 */
export async function surely(ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const deadlineMs = performance.now() + 120_000;
  for (;;) {
    let last: string;
    try {
      const answer = await ask();
      if (!isWorthAnother(answer.status)) return answer;
      last = `${answer.status} ${JSON.stringify(answer.body)}`;
    } catch (error) {
      // Nobody answered, or half: the client can't know how far the request came.
      last = inspect(error);
    }
    if (performance.now() > deadlineMs) throw new Error(`no answer for two minutes; last: ${last}`);
    await delay(250);
  }
}
