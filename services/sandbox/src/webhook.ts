import { setTimeout as sleep } from 'node:timers/promises';
import type { Prediction } from './runs.ts';

const timeoutMs = 30_000;
const mostRepeats = 12;
const firstPauseMs = 200;
const longestPauseMs = 102_400;
const repeatedStatuses: readonly number[] = [429, 500, 502, 503, 504];

/**
 * Sends the end of a run to `url`, again and again as Cog does: after no answer and after statuses that may pass, for about
 * seven minutes. Resolves with whether it was taken.
 */
export async function sendWebhook(url: string, prediction: Prediction): Promise<boolean> {
  const body = JSON.stringify(prediction);
  for (let repeats = 0; ; repeats++) {
    const status = await post(url, body);
    if (status !== null && status < 300) return true;
    if (status !== null && !repeatedStatuses.includes(status)) return false;
    if (repeats === mostRepeats) return false;
    // What waits alone keeps no process alive.
    await sleep(Math.min(firstPauseMs * 2 ** repeats, longestPauseMs), undefined, { ref: false });
  }
}

/** The status of the answer; null: none came. */
async function post(url: string, body: string): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}
