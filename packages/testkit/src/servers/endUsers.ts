import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills every process that was started with `mark` in its environment: Jest's workers go on testing when Jest
 * itself is killed, and so do the services that a test has started.
 */
export function endUsers(mark: string): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const pid = Number(name);
    if (pid === process.pid || !hasInEnvironment(pid, mark)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }
}

function hasInEnvironment(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
  } catch {
    return false;
  }
}
