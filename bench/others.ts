import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Busy CPU milliseconds since boot by `/proc/stat`; null on other systems. */
export function machineBusyMs(): number | null {
  try {
    return readBusyMs(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return null;
  }
}

const tickMs = 10;

/** Includes time stolen by the host. */
export function readBusyMs(stat: string): number {
  const ticks = (stat.split('\n')[0] ?? '').split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softIrq + steal) * tickMs;
}

/** The share (0..1) of all cores used by other processes in `elapsedMs`. */
export function shareOfOthers(args: { busyMs: number; oursMs: number; elapsedMs: number }): number {
  const { busyMs, oursMs, elapsedMs } = args;
  return Number(Math.max(0, (busyMs - oursMs) / (elapsedMs * cpus().length)).toFixed(2));
}

export function warnOfOthers(shares: Record<string, number>): string | null {
  const disturbed = Object.entries(shares).filter(([, share]) => share > 0.1);
  if (disturbed.length === 0) return null;
  const list = disturbed.map(([name, share]) => `${name} ${Math.round(share * 100)} %`).join(', ');
  return `Others had of this machine's CPU, in ${list}: rates and durations of these say little.`;
}
