import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessTimes, processName, readTimes, threadName } from './processTimes.ts';

/**
 * CPU milliseconds. `bench: load` is part of `bench`, `postgres: gateway` the part of `postgres` that serves the
 * gateway.
 */
export type CpuTimes = Record<string, number>;

export type CpuReading = Map<string, { names: string[]; cpuMs: number }>;

/** In Linux's steps of 10 ms; empty on other systems. */
export function readCpu(): CpuReading {
  const reading: CpuReading = new Map();
  for (const { pid, cpuMs } of beneath(process.pid, processesIn('/proc'))) {
    const { name, part } = pid === process.pid ? bench : processName(textOf(`/proc/${pid}/cmdline`));
    reading.set(`${pid}`, { names: part === undefined ? [name] : [name, `${name}: ${part}`], cpuMs });
  }
  for (const { pid, name, cpuMs } of processesIn('/proc/self/task')) {
    const part = threadName(name);
    if (part !== null) reading.set(`thread ${pid}`, { names: [`${bench.name}: ${part}`], cpuMs });
  }
  return reading;
}

const bench: { name: string; part?: string } = { name: 'bench' };

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

/** Of this process and its descendants, ended ones included. */
export function treeMs(): number {
  return beneath(process.pid, processesIn('/proc')).reduce(
    (sum, { cpuMs, endedMs }) => sum + cpuMs + endedMs,
    0,
  );
}

type Process = ProcessTimes & { pid: number };

function beneath(root: number, processes: Process[]): Process[] {
  const known = new Set([root]);
  // A child's pid may be lower than its parent's, so the scan repeats until nothing is added.
  for (let size = 0; size < known.size; ) {
    size = known.size;
    for (const { pid, parent } of processes) if (known.has(parent)) known.add(pid);
  }
  return processes.filter(({ pid }) => known.has(pid));
}

function processesIn(folder: string): Process[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        const times = readTimes(textOf(`${folder}/${pid}/stat`));
        return times === null ? [] : [{ pid: Number(pid), ...times }];
      });
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
