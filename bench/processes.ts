import { readdirSync, readFileSync } from 'node:fs';

const tickMs = 10;

export type ProcessTimes = {
  name: string;
  parent: number;
  cpuMs: number;
  /** CPU milliseconds of ended children. */
  endedMs: number;
};

type Process = ProcessTimes & { pid: number };

export function readTimes(stat: string): ProcessTimes | null {
  // The name in brackets may contain brackets.
  const [start, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  if (start < 0) return null;
  const fields = stat
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const [parent = 0] = fields.slice(1);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
  const name = stat.slice(start + 1, end);
  return { name, parent, cpuMs: (user + system) * tickMs, endedMs: (endedUser + endedSystem) * tickMs };
}

/** This process and its descendants; empty on systems without `/proc`. */
export function ownProcesses(): Process[] {
  const processes = timesIn('/proc');
  const known = new Set([process.pid]);
  // A child's pid may be lower than its parent's, so the scan repeats until nothing is added.
  for (let size = 0; size < known.size; ) {
    size = known.size;
    for (const { pid, parent } of processes) if (known.has(parent)) known.add(pid);
  }
  return processes.filter(({ pid }) => known.has(pid));
}

export const ownThreads = (): Process[] => timesIn('/proc/self/task');

function timesIn(folder: string): Process[] {
  return numbersIn(folder).flatMap((pid) => {
    const times = readTimes(textOf(`${folder}/${pid}/stat`));
    return times === null ? [] : [{ pid, ...times }];
  });
}

export const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`);

/** CPU milliseconds of the process's threads, finer than its ticks of 10 ms; ended threads are not counted. */
export function threadCpuMs(pid: number): number {
  const nanoseconds = numbersIn(`/proc/${pid}/task`).map((thread) =>
    Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
  );
  return nanoseconds.reduce((total, one) => total + one, 0) / 1_000_000;
}

/** Resident memory, also of pages shared with other processes; null when the process has ended. */
export function residentBytes(pid: number): number | null {
  const kib = /^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

export function openHandles(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

/** Busy CPU milliseconds of the machine since boot; null on systems without `/proc`. */
export function machineBusyMs(): number | null {
  const stat = textOf('/proc/stat');
  return stat === '' ? null : readBusyMs(stat);
}

/** Includes time stolen by the host. */
export function readBusyMs(stat: string): number {
  const ticks = (stat.split('\n')[0] ?? '').split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softIrq + steal) * tickMs;
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
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
