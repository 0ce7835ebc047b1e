import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from '@holdfast/local/launch/running';
import type { Redis } from '@holdfast/queues/connection';
import type { Fault, FaultKind } from './faultPlan.ts';
import type { SoakReceiver } from './receiver.ts';
import { pidOf } from './sample.ts';

type World = {
  running: Running;
  redis: Redis;
  flaky: SoakReceiver;
  dataFolder: string;
  say(line: string): void;
};

/** Resolves after the last fault, or when aborted, with the faults that took effect. */
export async function injectFaults(
  world: World,
  plan: readonly Fault[],
  stop: AbortSignal,
): Promise<Fault[]> {
  const startMs = performance.now();
  const applied: Fault[] = [];
  for (const fault of plan) {
    const inMs = Math.max(0, startMs + fault.atS * 1000 - performance.now());
    await delay(inMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return applied;
    const lasts = fault.lastsS > 0 ? ` for ${fault.lastsS} s` : '';
    try {
      const isApplied = await effects[fault.kind](world, fault);
      world.say(
        isApplied ? `${fault.kind} ${fault.target}${lasts}` : `${fault.kind} ${fault.target}: skipped`,
      );
      if (isApplied) applied.push(fault);
    } catch (error) {
      world.say(`${fault.kind} ${fault.target}: skipped, ${(error as Error).message}`);
    }
  }
  return applied;
}

/** Each returns whether the fault took effect. */
const effects: Record<FaultKind, (world: World, fault: Fault) => Promise<boolean>> = {
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

function signal(running: Running, name: string, what: NodeJS.Signals): boolean {
  const pid = pidOf(running, name);
  if (!pid) return false;
  try {
    process.kill(pid, what);
    return true;
  } catch {
    return false; // It has just ended.
  }
}

const tmpfs = 0x01021994;
const block = Buffer.alloc(4 * 1024 * 1024, 7);
const blocks = 16;

/** False for a memory file system. */
async function isOnDisk(folder: string): Promise<boolean> {
  return (await statfs(folder)).type !== tmpfs;
}

/** Commits wait behind these synchronous writes. */
async function keepDiskBusy(folder: string, lastsMs: number): Promise<void> {
  const path = join(folder, 'busy');
  const file = await open(path, 'w');
  try {
    await writeUntil(file, performance.now() + lastsMs);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function writeUntil(file: FileHandle, endMs: number): Promise<void> {
  for (let nth = 0; performance.now() < endMs; nth++) {
    await file.write(block, 0, block.length, (nth % blocks) * block.length);
    await file.sync();
  }
}
