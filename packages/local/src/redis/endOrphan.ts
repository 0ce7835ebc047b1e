import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ending, endProcess } from '../process/endProcess.ts';
import { worksIn } from '../process/processIdentity.ts';

/** Ends the Redis that a killed parent left running in `folder`: two of them would spoil the append-only file. */
export async function endRedisOrphan(folder: string, ending: Ending): Promise<void> {
  const file = join(folder, 'redis.pid');
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return;
  }
  if (pid > 0 && worksIn(pid, folder)) await endProcess(pid, ending);
  rmSync(file, { force: true });
}
