import type { Database } from '@holdfast/db/client';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import type { Redis } from '@holdfast/queues/connection';
import { dispatchQueue } from '@holdfast/queues/definitions';
import { pauseQueue } from '@holdfast/queues/inspector';
import type { CountingReceiver } from './arrivals.ts';
import { type CpuTimes, cpuPerExecution, ownCpuMs, readCpu, shareOfOthers } from './cpu.ts';
import type { Flags } from './flags.ts';
import type { Created, Generator, Load } from './load/threads.ts';
import { type MemoryMib, withPeakMemory } from './memory.ts';
import { walBytes } from './postgres.ts';
import { machineBusyMs } from './processes.ts';
import type { Arrival } from './receiver.ts';
import { nowMs } from './statistics.ts';

export type Bench = {
  flags: Flags;
  state: LocalState;
  db: Database;
  redis: Redis;
  apiKey: string;
  load: Generator;
  /** The server of provider.ts that streams. */
  chatUrl: string;
  /** Counts by id of the execution. */
  receiver: CountingReceiver;
  figures: Figures;
  /** CPU milliseconds per execution, by part and process. */
  cpu: Record<string, CpuTimes>;
  /** The highest of a part, and `idle`. */
  memory: Record<string, MemoryMib>;
  /** Percent of a core by process, while nothing happens. */
  idleCpu: Record<string, number>;
  /** The share (0..1) of the CPU used by other processes. */
  others: Record<string, number>;
  say(line: string): void;
};

export type Figures = Record<string, number | string | [number, number][]>;

export type Part = {
  about: string;
  /** Runs only when named in `--only`. */
  isLong?: boolean;
  /** Needs no warm-up: it does not use the services, or warms them up itself. */
  isCold?: boolean;
  run(bench: Bench): Promise<Figures>;
};

export function create({ load, apiKey }: Bench, args: Omit<Load, 'keys'> & { keys?: string[] }) {
  return load.run({ keys: [apiKey], ...args });
}

/** For some twenty seconds a fifth of the services' CPU time goes into JIT compilation. */
export async function warmUp(bench: Bench): Promise<void> {
  const { clients, executions } = bench.flags;
  bench.say('warming up');
  await untilDelivered(
    bench,
    await create(bench, { clients, count: Math.min(2 * executions, warmUpExecutions) }),
  );
}

const warmUpExecutions = 30_000;

/**
 * Records what other processes take of the CPU. PostgreSQL first recycles its log: a new log file is filled with
 * zeros, and commits wait for that. The tables are left to autovacuum, as they would be in production.
 */
export async function watched<Result>(
  { db, others }: Pick<Bench, 'db' | 'others'>,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.pool.query('CHECKPOINT');
  const [busyBeforeMs, oursBeforeMs, startMs] = [machineBusyMs(), ownCpuMs(), nowMs()];
  const result = await work();
  const busyAfterMs = machineBusyMs();
  if (busyBeforeMs === null || busyAfterMs === null) return result;
  const elapsedMs = nowMs() - startMs;
  others[name] = shareOfOthers({
    busyMs: busyAfterMs - busyBeforeMs,
    oursMs: ownCpuMs() - oursBeforeMs,
    elapsedMs,
  });
  return result;
}

/** Records the CPU time and the write-ahead log per result of `work`, and the memory of the services. */
export async function accounted<Done extends readonly unknown[]>(
  bench: Bench,
  name: string,
  work: () => Promise<Done>,
): Promise<Done> {
  return await watched(bench, name, async () => {
    const before = readCpu();
    const walBefore = await walBytes(bench.db);
    const { result, peak } = await withPeakMemory(bench.state, work);
    bench.cpu[name] = cpuPerExecution(before, readCpu(), result.length);
    bench.figures[`${name}_wal_bytes`] = Math.round(((await walBytes(bench.db)) - walBefore) / result.length);
    bench.memory[name] = peak;
    return result;
  });
}

/**
 * Runs `work` while the dispatch queue is paused, then waits for the created executions; `onResume` is called in between.
 */
export async function undispatched(
  bench: Bench,
  work: () => Promise<Created[]>,
  onResume: () => void = () => {},
): Promise<Created[]> {
  const resume = await pauseQueue(dispatchQueue, bench.redis);
  let created: Created[];
  try {
    created = await work();
  } finally {
    await resume();
  }
  onResume();
  await untilDelivered(bench, created);
  return created;
}

/** The webhooks of these executions, in order; rejects when none of the missing ones comes for a minute. */
export async function untilDelivered(
  { receiver, say }: Pick<Bench, 'receiver' | 'say'>,
  created: Created[],
): Promise<Arrival[]> {
  const ids = created.map(({ id }) => id);
  const progress = setInterval(() => say(`${receiver.missing(ids).length} webhooks are missing`), 5_000);
  try {
    const arrivals = await receiver.of(ids);
    const other = arrivals.find(({ type }) => type !== 'execution.completed');
    if (other) throw new Error(`${other.executionId} ended as ${other.type}`);
    return arrivals;
  } finally {
    clearInterval(progress);
  }
}
