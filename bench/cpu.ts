import { cpus } from 'node:os';
import { commandOf, ownProcesses, ownThreads } from './processes.ts';

/**
 * CPU milliseconds. `bench: load` is part of `bench`, `postgres: gateway` the part of `postgres` that serves the
 * gateway.
 */
export type CpuTimes = Record<string, number>;

export type CpuReading = Map<string, { names: string[]; cpuMs: number }>;

/** In Linux's steps of 10 ms; empty on other systems. */
export function readCpu(): CpuReading {
  const reading: CpuReading = new Map();
  for (const { pid, cpuMs } of ownProcesses()) {
    const { name, part } = pid === process.pid ? bench : processName(commandOf(pid));
    reading.set(`${pid}`, { names: part === undefined ? [name] : [name, `${name}: ${part}`], cpuMs });
  }
  for (const { pid, name, cpuMs } of ownThreads()) {
    if (measuredThreads.has(name)) reading.set(`thread ${pid}`, { names: [`${bench.name}: ${name}`], cpuMs });
  }
  return reading;
}

const bench: { name: string; part?: string } = { name: 'bench' };
const measuredThreads = new Set(['load', 'receiver']);

/** For a PostgreSQL backend, also the service it works for. */
export function processName(command: string): { name: string; part?: string } {
  const service = /services\/([\w-]+)\/src/.exec(command)?.[1];
  if (service !== undefined) return { name: service };
  const backend = /^postgres: holdfast_(\w+) /.exec(command)?.[1];
  if (backend !== undefined) return { name: 'postgres', part: backend.replaceAll('_', '-') };
  if (command.startsWith('postgres: holdfast ')) return { name: 'postgres', part: 'owner' };
  if (command.startsWith('postgres: ')) return { name: 'postgres', part: 'itself' };
  const server = ['postgres', 'redis'].find((name) => command.includes(name));
  return server === undefined ? { name: 'other' } : { name: server };
}

/** Excludes processes that ended in between. */
export function cpuPerExecution(before: CpuReading, after: CpuReading, executions: number): CpuTimes {
  const times: CpuTimes = { total: 0 };
  for (const [key, { names, cpuMs }] of after) {
    const spentMs = cpuMs - (before.get(key)?.cpuMs ?? 0);
    const isPart = names.every((name) => name.includes(': '));
    for (const name of isPart ? names : ['total', ...names]) times[name] = (times[name] ?? 0) + spentMs;
  }
  const rounded = Object.keys(times)
    .toSorted()
    .map((name) => [name, Number(((times[name] ?? 0) / executions).toFixed(3))] as const);
  return Object.fromEntries(rounded.filter(([, ms]) => ms > 0));
}

/** CPU milliseconds of an execution without load and receivers, and PostgreSQL's share (0..1) of them. */
export function systemCpu(times: CpuTimes): { ms: number; postgresShare: number } {
  const ms = (times['total'] ?? Number.NaN) - (times['bench'] ?? 0);
  return { ms, postgresShare: (times['postgres'] ?? 0) / ms };
}

/** CPU time of this process and its descendants, ended ones included. */
export function ownCpuMs(): number {
  return ownProcesses().reduce((total, { cpuMs, endedMs }) => total + cpuMs + endedMs, 0);
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
  return `Other processes used much of this machine's CPU (${list}): rates and durations of these parts say little.`;
}
