import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '@holdfast/kit/within';
import type { AdminApi } from '../admin/api.ts';
import { RefusedError } from '../admin/refusedError.ts';
import type { ExecutionRecord } from '../admin/shapes.ts';
import type { Context } from '../command.ts';
import { hasEnded } from './hasEnded.ts';

export type Following = {
  admin: AdminApi;
  context: Context;
  json: boolean;
  everyMs: number;
  signal: AbortSignal;
};

/** What is told of an execution when it changes. */
export function changeText(one: ExecutionRecord): string {
  const parts = [
    one.queue_position === null ? '' : `${one.queue_position} before it`,
    one.progress === null || hasEnded(one) ? '' : `${Math.round(one.progress * 100)} %`,
    one.cost === null ? '' : `cost ${one.cost}`,
    one.error ? `${one.error.code}: ${one.error.message}` : '',
  ];
  return [one.status, ...parts.filter((part) => part !== '')].join('  ');
}

/** By the clock of this machine: `10:30:00`. */
export const clock = () => new Date().toTimeString().slice(0, 8);

/** False when the signal came before the time had passed. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return await delay(ms, true, { signal }).catch(() => false);
}

/**
 * Asks again and again, until `take` answers an exit code or the signal comes: then `interrupted`. Once it was answered, the
 * admin API may be away for a while, as when the gateway is restarted. @throws what the first question throws
 */
export async function askOn<Answer>(
  { context, everyMs, signal }: Following,
  ask: () => Promise<Answer>,
  take: (answer: Answer) => number | null,
  interrupted: number,
): Promise<number> {
  for (let answered = false; ; ) {
    try {
      const code = take(await ask());
      answered = true;
      if (code !== null) return code;
    } catch (error) {
      if (signal.aborted) return interrupted;
      if (!answered || error instanceof RefusedError) throw error;
      context.tell(`holdfast: ${reasonOf(error)} It is asked again.`);
    }
    if (!(await waited(everyMs, signal))) return interrupted;
  }
}
