import type { Database } from '@holdfast/db/client';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import type { Redis } from '@holdfast/queues/connection';
import { dispatchQueue } from '@holdfast/queues/definitions';
import { pauseQueue } from '@holdfast/queues/inspector';
import type { CountingReceiver } from './arrivals.ts';
import { nowMs } from './clock.ts';
import { type CpuTimes, cpuPerExecution, readCpu, treeMs } from './cpu.ts';
import type { Flags } from './flags.ts';
import type { Created } from './load/created.ts';
import type { Generator, Load } from './load/generator.ts';
import { machineBusyMs, shareOfOthers } from './others.ts';
import type { Arrival } from './receiver.ts';

export type Bench = {
  flags: Flags;
  state: LocalState;
  db: Database;
  redis: Redis;
  apiKey: string;
  load: Generator;
  /** Counts by id of the execution. */
  receiver: CountingReceiver;
  figures: Figures;
  /** CPU milliseconds per execution, by part and process. */
  cpu: Record<string, CpuTimes>;
  /** The share (0..1) of the CPU used by other processes. */
  others: Record<string, number>;
  say(line: string): void;
};

export type Figures = Record<string, number | string | [number, number][]>;

export type Part = {
  about: string;
  /** Runs only when named. */
  isLong?: boolean;
  /** Does not use the services, which then need no warm-up. */
  isBare?: boolean;
  run(bench: Bench): Promise<Figures>;
};

export function create({ load, apiKey }: Bench, what: Omit<Load, 'keys'> & { keys?: string[] }) {
  return load.run({ keys: [apiKey], ...what });
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
  const [busyBeforeMs, oursBeforeMs, startMs] = [machineBusyMs(), treeMs(), nowMs()];
  const result = await work();
  const busyAfterMs = machineBusyMs();
  if (busyBeforeMs === null || busyAfterMs === null) return result;
  const elapsedMs = nowMs() - startMs;
  others[name] = shareOfOthers({
    busyMs: busyAfterMs - busyBeforeMs,
    oursMs: treeMs() - oursBeforeMs,
    elapsedMs,
  });
  return result;
}

/** Records the CPU time per result of `work`. */
export async function accounted<Done extends readonly unknown[]>(
  bench: Bench,
  name: string,
  work: () => Promise<Done>,
): Promise<Done> {
  return await watched(bench, name, async () => {
    const before = readCpu();
    const results = await work();
    bench.cpu[name] = cpuPerExecution(before, readCpu(), results.length);
    return results;
  });
}

/**
 * Runs `work` while the dispatch queue is paused, then waits for what was created; `onResume` is called in between.
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
export async function untilDelivered({ receiver, say }: Bench, created: Created[]): Promise<Arrival[]> {
  const ids = created.map(({ id }) => id);
  const progress = setInterval(() => say(`${receiver.missing(ids).length} webhooks still to come`), 5_000);
  try {
    const arrivals = await receiver.of(ids);
    const other = arrivals.find(({ type }) => type !== 'execution.completed');
    if (other) throw new Error(`${other.executionId} ended as ${other.type}`);
    return arrivals;
  } finally {
    clearInterval(progress);
  }
}
