import { setTimeout as delay } from 'node:timers/promises';
import { startTicks } from './processIdentity.ts';

/** Signals in turn, each with its time to take effect. */
export type Ending = readonly (readonly [NodeJS.Signals, timeoutMs: number])[];

/** Rejects when the process outlives the last signal. */
export async function endProcess(pid: number, ending: Ending): Promise<void> {
  const born = startTicks(pid);
  const isGone = () => born === null || startTicks(pid) !== born;
  for (const [signal, timeoutMs] of ending) {
    if (isGone()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await becomes(isGone, timeoutMs)) return;
  }
  throw new Error(`Process ${pid} does not end.`);
}

async function becomes(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + timeoutMs;
  while (performance.now() < giveUpAt) {
    if (condition()) return true;
    await delay(10);
  }
  return condition();
}
