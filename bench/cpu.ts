import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessTimes, processName, readTimes, threadName } from './processTimes.ts';

/**
 * CPU milliseconds by what took them. `bench: load` is a part of `bench`, `postgres: gateway` that part of `postgres` which
 * works for the gateway.
 */
export type CpuTimes = Record<string, number>;

/** What each process beneath this one has taken since it began, and each thread of this one that has a name. */
export type CpuReading = Map<string, { names: string[]; cpuMs: number }>;

/** As Linux counts them, in steps of 10 ms; empty elsewhere. */
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

/** What was taken between two readings, per execution; what ended in between is not in it. */
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

/** All that this process and those beneath it have taken, what has ended included. */
export function treeMs(): number {
  return beneath(process.pid, processesIn('/proc')).reduce(
    (sum, { cpuMs, endedMs }) => sum + cpuMs + endedMs,
    0,
  );
}

type Process = ProcessTimes & { pid: number };

function beneath(root: number, processes: Process[]): Process[] {
  const known = new Set([root]);
  // A child's pid may be lower than its parent's: until nothing is added.
  for (let size = 0; size < known.size; ) {
    size = known.size;
    for (const { pid, parent } of processes) if (known.has(parent)) known.add(pid);
  }
  return processes.filter(({ pid }) => known.has(pid));
}

/** The processes of `/proc`, or the threads of a folder that looks like it. */
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

/** Empty when it has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
