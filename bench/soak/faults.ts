import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from '@holdfast/local/launch/running';
import type { Redis } from '@holdfast/queues/connection';
import { isOnDisk, keepDiskBusy } from './busyDisk.ts';
import type { Fault, FaultKind } from './plan.ts';
import { signal } from './processes.ts';
import type { SoakReceiver } from './receiver.ts';

type World = {
  running: Running;
  redis: Redis;
  flaky: SoakReceiver;
  dataFolder: string;
  say(line: string): void;
};

/** Resolves after the last fault, or when aborted, with those that were made. */
export async function makeFaults(world: World, plan: readonly Fault[], stop: AbortSignal): Promise<Fault[]> {
  const startMs = performance.now();
  const made: Fault[] = [];
  for (const fault of plan) {
    const inMs = Math.max(0, startMs + fault.atS * 1000 - performance.now());
    await delay(inMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return made;
    const lasts = fault.lastsS > 0 ? ` for ${fault.lastsS} s` : '';
    try {
      const isMade = await makers[fault.kind](world, fault);
      world.say(isMade ? `${fault.kind} ${fault.target}${lasts}` : `${fault.kind} ${fault.target}: skipped`);
      if (isMade) made.push(fault);
    } catch (error) {
      world.say(`${fault.kind} ${fault.target}: skipped, ${(error as Error).message}`);
    }
  }
  return made;
}

/** Each returns whether the fault could be made. */
const makers: Record<FaultKind, (world: World, fault: Fault) => Promise<boolean>> = {
  kill: async ({ running }, { target }) => signal(running, target, 'SIGKILL'),
  stop: async ({ running }, { target }) => signal(running, target, 'SIGTERM'),
  pause: async ({ running }, { target, lastsS }) => {
    const isPaused = signal(running, target, 'SIGSTOP');
    try {
      if (isPaused) await delay(lastsS * 1000);
    } finally {
      signal(running, target, 'SIGCONT');
    }
    return isPaused;
  },
  flush: async ({ redis }) => {
    await redis.flushall();
    return true;
  },
  // At SIGQUIT PostgreSQL ends its children as if one had crashed.
  crash: async ({ running }, { target }) =>
    signal(running, target, target === 'postgres' ? 'SIGQUIT' : 'SIGKILL'),
  busy: async ({ dataFolder, say }, { lastsS }) => {
    if (!(await isOnDisk(dataFolder))) {
      say(`${dataFolder} is in memory: there is no disk to keep busy`);
      return false;
    }
    await keepDiskBusy(dataFolder, lastsS * 1000);
    return true;
  },
  down: async ({ flaky }, { lastsS }) => {
    flaky.setDown(true);
    try {
      await delay(lastsS * 1000);
    } finally {
      flaky.setDown(false);
    }
    return true;
  },
};
