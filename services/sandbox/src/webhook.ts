import { setTimeout as sleep } from 'node:timers/promises';
import type { Prediction } from './runs.ts';

const pausesMs = [0, 1000, 5000];
const timeoutMs = 15_000;

/** Tells `url` how a run ended, in three tries. Resolves with whether one was answered 2xx. */
export async function sendWebhook(url: string, prediction: Prediction): Promise<boolean> {
  const body = JSON.stringify(prediction);
  for (const pauseMs of pausesMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    if (await post(url, body)) return true;
  }
  return false;
}

async function post(url: string, body: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
