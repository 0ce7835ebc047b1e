import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@holdfast/kit/logger';

const pausesMs = [200, 1000, 2000, 4000];

/** Tries again for some seconds: what could not be written down would be sent to the receiver once more. */
export async function persistently<Result>(log: Logger, work: () => Promise<Result>): Promise<Result> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error }, 'attempts could not be recorded; trying again');
      await delay(pauseMs);
    }
  }
  return await work();
}
