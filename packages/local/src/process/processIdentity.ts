import { readFileSync, readlinkSync } from 'node:fs';

/** In clock ticks since boot: with the pid it identifies one process for ever. Null when it is gone. */
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

export function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}
