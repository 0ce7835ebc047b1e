import type { Database } from '@holdfast/db/client';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import type { Redis } from '@holdfast/queues/connection';
import { dispatchQueue } from '@holdfast/queues/definitions';
import { pauseQueue } from '@holdfast/queues/inspector';
import { nowMs } from './clock.ts';
import { type CpuTimes, cpuPerExecution, readCpu, treeMs } from './cpu.ts';
import type { Flags } from './flags.ts';
import type { Created } from './load/created.ts';
import type { Generator, Load } from './load/generator.ts';
import { machineBusyMs, shareOfOthers } from './others.ts';
import type { CompletionReceiver } from './receiver.ts';

/** What every part works with. */
export type Bench = {
  flags: Flags;
  state: LocalState;
  db: Database;
  redis: Redis;
  /** The API key of the organization that most is measured with. */
  apiKey: string;
  load: Generator;
  receiver: CompletionReceiver;
  /** What the parts before have measured. */
  figures: Figures;
  /** CPU milliseconds per execution of what was measured, by process. */
  cpu: Record<string, CpuTimes>;
  /** The share (0..1) of the CPU that others had meanwhile. */
  others: Record<string, number>;
  /** Progress for a person to read. */
  say(line: string): void;
};

export type Figures = Record<string, number | string | [number, number][]>;

export type Part = {
  about: string;
  /** Not run unless it is asked for by name. */
  isLong?: boolean;
  /** Asks nothing of the services, which need not be warm then. */
  isBare?: boolean;
  run(bench: Bench): Promise<Figures>;
};

/** Creates by one organization; `keys` unless told otherwise. */
export function create({ load, apiKey }: Bench, what: Omit<Load, 'keys'> & { keys?: string[] }) {
  return load.run({ keys: [apiKey], ...what });
}

/**
 * Runs executions through, so that whatever is measured first is measured of services that have worked before: for some
 * twenty seconds a fifth of all their CPU time goes into compiling what turns out to be hot.
 */
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
 * Keeps what others take of the CPU while the work is done. Postgres first clears away what the part before has left, which
 * would be measured with this one, and uses its log files again, as one does that has run for a while: a new one is filled
 * with zeros, and every commit waits for that.
 */
export async function watched<Result>(
  { db, others }: Pick<Bench, 'db' | 'others'>,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.pool.query('VACUUM');
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

/** Keeps what the work takes of the CPU, for each of what it answers, and what others take of it meanwhile. */
export async function accounted<Done extends readonly unknown[]>(
  bench: Bench,
  name: string,
  work: () => Promise<Done>,
): Promise<Done> {
  const before = readCpu();
  const created = await watched(bench, name, work);
  bench.cpu[name] = cpuPerExecution(before, readCpu(), created.length);
  return created;
}

/**
 * Does the work while nothing is dispatched: BullMQ's own pause of the queue, to which the gateway adds as ever. What was
 * created is run afterwards, and waited for; `onResume` is told when that begins.
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

/** When the webhook of each came, in their order; rejects when none comes for a minute. */
export async function untilDelivered({ receiver, say }: Bench, created: Created[]): Promise<number[]> {
  let left = created.length;
  let previous = left;
  const stalled = Promise.withResolvers<never>();
  const watch = setInterval(() => {
    if (left === previous)
      stalled.reject(new Error(`${left} webhooks have not come, and none came for a minute`));
    previous = left;
  }, 60_000);
  const progress = setInterval(() => say(`${left} webhooks still to come`), 5_000);
  const arrival = async ({ id }: Created) => {
    const atMs = await receiver.arrival(id);
    left -= 1;
    return atMs;
  };
  try {
    return await Promise.race([Promise.all(created.map(arrival)), stalled.promise]);
  } finally {
    clearInterval(watch);
    clearInterval(progress);
  }
}
