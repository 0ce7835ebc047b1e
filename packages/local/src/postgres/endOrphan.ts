import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ending, endProcess } from '../process/endProcess.ts';
import { worksIn } from '../process/processIdentity.ts';

/** Fast shutdown, then immediate shutdown (recovery at the next start), then the kernel's. */
export const postgresEnding: Ending = [
  ['SIGINT', 8_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 2_000],
];

/** Ends a killed parent's postmaster. Only ours works in `data`: another process with its pid stays untouched. */
export async function endOrphan(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return;
  }
  if (pid > 0 && worksIn(pid, data)) await endProcess(pid, postgresEnding);
  rmSync(file, { force: true });
}
