import { setTimeout as delay } from 'node:timers/promises';
import { DownloadError } from '@holdfast/egress/download';
import { UnusableOutput } from '@holdfast/providers/outputFiles';

// The provider has been paid: a store, database or host that restarts is worth half a minute.
const pausesMs = [500, 1000, 2000, 4000, 8000, 15_000];

/** Does the work again, after each pause, unless its error is one that stays. Null when it did not come about. */
export async function persistently<Result>(
  work: () => Promise<Result>,
  onFailure: (error: unknown, tries: number) => void,
  signal: AbortSignal,
  pauses = pausesMs,
): Promise<Result | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return await work();
    } catch (error) {
      onFailure(error, tries);
      const pauseMs = pauses[tries - 1];
      if (pauseMs === undefined || willStay(error)) return null;
      // What aborts the pause, ends the loop.
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}

function willStay(error: unknown): boolean {
  if (error instanceof UnusableOutput) return true;
  if (!(error instanceof DownloadError) || error.stage === 'network') return false;
  return error.stage !== 'status' || (error.status !== null && error.status < 500 && error.status !== 429);
}
