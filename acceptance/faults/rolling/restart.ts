import { until } from '@holdfast/testkit/until';
import type { Fleet } from '../../stack/fleet.ts';

/** The time that a scheduler gives a process between SIGTERM and SIGKILL. */
export const graceMs = 30_000;

export type Restarted = {
  name: string;
  /** `exit code 0` after a regular stop. */
  how: string;
  endedAfterMs: number;
};

/** Sends SIGTERM to one process; resolves when its next process is ready. */
export async function restart(fleet: Fleet, name: string): Promise<Restarted> {
  const pid = fleet.pid(name);
  const atMs = performance.now();
  fleet.signal(name, 'SIGTERM');
  await until(`${name} has ended`, () => !isAlive(pid), 2 * graceMs);
  const endedAfterMs = Math.round(performance.now() - atMs);
  await until(
    `${name} is ready again`,
    async () => fleet.pid(name) !== pid && (await fleet.isReady(name)),
    60_000,
  );
  return { name, how: howItEnded(fleet.said, name), endedAfterMs };
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** How it ended, by its supervisor's log. */
function howItEnded(said: readonly string[], name: string): string {
  const line = said.findLast((one) => one.startsWith(`${name} ended (`)) ?? '';
  return /\((.*?)\)/.exec(line)?.[1] ?? 'unknown';
}
