import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ending, endProcess } from '../process/endProcess.ts';
import { worksIn } from '../process/processIdentity.ts';

export const redisEnding: Ending = [
  ['SIGTERM', 8_000],
  ['SIGKILL', 2_000],
];

/** Ends a killed parent's Redis: two would corrupt the append-only file. */
export async function endRedisOrphan(folder: string): Promise<void> {
  const file = join(folder, 'redis.pid');
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return;
  }
  if (pid > 0 && worksIn(pid, folder)) await endProcess(pid, redisEnding);
  rmSync(file, { force: true });
}
