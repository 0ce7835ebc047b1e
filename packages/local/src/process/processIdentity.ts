import { readFileSync, readlinkSync } from 'node:fs';

/** When a process started, in clock ticks since boot: with its id it names one process for ever. Null when it is gone. */
export function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name may hold spaces and brackets: count fields after its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isZombie = fields[0] === 'Z';
    return isZombie ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** True when the process `pid` runs with `folder` as its working directory. */
export function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}
