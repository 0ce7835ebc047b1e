import type { Database } from '@holdfast/db/client';
import { openRunsAt } from '@holdfast/db/sweeps';
import type { Logger } from '@holdfast/kit/logger';
import type { Gauge } from '@holdfast/kit/metrics';
import type { Progress } from '@holdfast/providers/interface';
import type { AdmissionControl } from '@holdfast/queues/admission';

/** What a route leads to: a model at a connection. */
export type RouteTarget = { connection: string; target: string };

/** How many runs providers take at once, as all dispatchers learn from busy refusals. */
export type Capacity = {
  /** Undefined while nothing was learned about it. */
  nameOf(at: RouteTarget): string | undefined;
  isLearned(): boolean;
  called(at: RouteTarget, progress: Progress): void;
  /** Returns in how many ms it may be called again at the earliest. */
  refused(run: BusyRun, retryAfterMs: number): Promise<number>;
  stop(): Promise<void>;
};

/** `busyRefusals`: those before this one. */
export type BusyRun = RouteTarget & {
  executionId: string;
  organizationId: string;
  priority: number;
  busyRefusals: number;
  mayHaveRun: boolean;
};

/** Its executions are tried in the order of their creation. */
export const queueOf = (organizationId: string, rank: number) => `${organizationId} ${rank}`;

const readEveryMs = 1000;
const readEveryIdleMs = 5000;
/** Without Redis; after that each run backs off by itself. */
const maxAgeMs = 10_000;
const firstPauseMs = 1000;
const maxPauseMs = 15_000;

const nameOf = ({ connection, target }: RouteTarget) => `route:${connection} ${target}`;

export function openCapacity(args: {
  db: Database;
  admission: AdmissionControl;
  learned: Gauge<'connection' | 'model'>;
  isActive?(): boolean;
  log: Logger;
}): Capacity {
  const { db, admission, log, isActive = () => true } = args;
  let known: ReadonlyMap<string, number> = new Map();
  let accepted = new Set<string>();
  /** One query for all refusals at the same time. */
  const lookups = new Map<string, Promise<string[]>>();
  let readAtMs = performance.now();
  let reading: Promise<void> | null = null;

  function update(capacities: ReadonlyMap<string, number>): void {
    known = capacities;
    args.learned.reset();
    for (const [name, most] of known) {
      const [connection = '', ...target] = name.slice('route:'.length).split(' ');
      args.learned.set({ connection, model: target.join(' ') }, most);
    }
  }

  async function read(): Promise<void> {
    const reported = [...accepted];
    accepted = new Set();
    try {
      update(await admission.capacities(reported));
      readAtMs = performance.now();
    } catch (error) {
      log.debug({ err: error }, 'could not read capacities');
      if (performance.now() - readAtMs > maxAgeMs) update(new Map());
    }
  }

  function openRuns(at: RouteTarget): Promise<string[]> {
    const name = nameOf(at);
    const lookup = lookups.get(name) ?? openRunsAt(db, at).finally(() => lookups.delete(name));
    lookups.set(name, lookup);
    return lookup;
  }

  const timer = setInterval(() => {
    if (!isActive() && accepted.size === 0 && performance.now() - readAtMs < readEveryIdleMs) return;
    reading ??= read().finally(() => {
      reading = null;
    });
  }, readEveryMs);
  return {
    nameOf(at) {
      const name = nameOf(at);
      return known.has(name) ? name : undefined;
    },
    isLearned: () => known.size > 0,
    called(at, { state }) {
      if (known.has(nameOf(at)) && (state === 'running' || state === 'ended')) accepted.add(nameOf(at));
    },
    async refused(run, retryAfterMs) {
      const name = nameOf(run);
      const jitter = 0.9 + Math.random() * 0.2;
      try {
        const open = known.has(name) ? {} : { open: await openRuns(run) };
        const { executionId, mayHaveRun } = run;
        const queue = queueOf(run.organizationId, run.priority);
        const refusal = { name, executionId, queue, retryAfterMs, mayHaveRun, jitter, ...open };
        const { most, waitMs } = await admission.refused(refusal);
        accepted.delete(name);
        update(new Map(known).set(name, most));
        return waitMs;
      } catch (error) {
        log.debug({ err: error }, 'could not learn from a refusal');
        return Math.max(retryAfterMs, pauseMs(run.busyRefusals) * jitter);
      }
    },
    async stop() {
      clearInterval(timer);
      await reading;
    },
  };
}

function pauseMs(busyRefusals: number): number {
  return Math.min(firstPauseMs * 2 ** busyRefusals, maxPauseMs);
}
