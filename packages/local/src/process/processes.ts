import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** In clock ticks since boot: with the pid it identifies one process forever. Null when it is gone. */
export function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // A command name may contain spaces and brackets: count fields after the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = fields[0] === 'Z';
    return isZombie ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

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

/** A second process must not share the folder's data or end its servers. @throws when a living process holds the claim */
export function claimFolder(folder: string): { release: () => void } {
  mkdirSync(folder, { recursive: true });
  const owner = folderOwner(folder);
  if (owner !== null && owner !== process.pid) {
    throw new Error(`${folder} is in use by process ${owner}: stop that one first.`);
  }
  const file = join(folder, 'owner');
  writeFileSync(file, `${process.pid} ${startTicks(process.pid)}`, { mode: 0o600 });
  return { release: () => rmSync(file, { force: true }) };
}

export function folderOwner(folder: string): number | null {
  try {
    const [pid = '', ticks] = readFileSync(join(folder, 'owner'), 'utf8').split(' ');
    return startTicks(Number(pid)) === ticks ? Number(pid) : null;
  } catch {
    return null;
  }
}

/** Ends the process of a pid file. Only ours works in `folder`: another process with its pid stays untouched. */
export async function endOrphan(pidFile: string, folder: string, ending: Ending): Promise<void> {
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  } catch {
    return;
  }
  if (pid > 0 && worksIn(pid, folder)) await endProcess(pid, ending);
  rmSync(pidFile, { force: true });
}
