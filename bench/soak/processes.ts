import { readdirSync, readFileSync } from 'node:fs';
import type { Running } from '@holdfast/local/launch/running';
import { services } from './plan.ts';

type Name = (typeof services)[number] | 'redis' | 'postgres';

export const names: readonly Name[] = [...services, 'redis', 'postgres'];

export function pidOf(running: Running, name: string): number | undefined {
  if (name === 'redis' || name === 'postgres') return running[name]?.pid();
  return running.services.find((service) => service.name === name)?.pid();
}

export function signal(running: Running, name: string, what: NodeJS.Signals): boolean {
  const pid = pidOf(running, name);
  if (!pid) return false;
  try {
    process.kill(pid, what);
    return true;
  } catch {
    return false; // It has just ended.
  }
}

/** Null when it has ended; for PostgreSQL, the postmaster only. */
export function look(pid: number | undefined): { rssBytes: number; handles: number } | null {
  if (!pid) return null;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return { rssBytes: kib * 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return null;
  }
}
