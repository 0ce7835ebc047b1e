import { readdirSync, readFileSync } from 'node:fs';

/** CPU milliseconds of every process beneath this one since it began, by what it is. */
export type CpuTimes = Record<string, number>;

const tickMs = 10;

/** As Linux counts them; empty elsewhere. */
export function cpuTimes(): CpuTimes {
  const times: CpuTimes = {};
  const processes = readProcesses();
  const beneath = new Set([process.pid]);
  // A child's pid may be lower than its parent's: until nothing is added.
  for (let size = 0; size < beneath.size; ) {
    size = beneath.size;
    for (const { pid, parent } of processes) if (beneath.has(parent)) beneath.add(pid);
  }
  for (const { pid, cpuMs } of processes) {
    if (!beneath.has(pid)) continue;
    const name = pid === process.pid ? 'bench' : nameOf(pid);
    times[name] = (times[name] ?? 0) + cpuMs;
  }
  return times;
}

/** What each took between two readings, per execution. */
export function cpuPerExecution(before: CpuTimes, after: CpuTimes, executions: number): CpuTimes {
  const names = Object.keys(after).toSorted();
  const spent = names.map((name) => [name, ((after[name] ?? 0) - (before[name] ?? 0)) / executions] as const);
  return Object.fromEntries(spent.map(([name, ms]) => [name, Number(ms.toFixed(3))]));
}

type Process = { pid: number; parent: number; cpuMs: number };

function readProcesses(): Process[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)));
  } catch {
    return [];
  }
}

/** None when it has ended meanwhile. */
function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything, brackets too.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]];
    return [{ pid, parent, cpuMs: (user + system) * tickMs }];
  } catch {
    return [];
  }
}

function nameOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const service = /services\/([\w-]+)\/src/.exec(command)?.[1];
    return service ?? ['postgres', 'redis'].find((name) => command.includes(name)) ?? 'other';
  } catch {
    return 'other';
  }
}
