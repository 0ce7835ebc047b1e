import type { Database } from '@holdfast/db/client';
import { openRunsAt } from '@holdfast/db/sweeps';
import type { Logger } from '@holdfast/kit/logger';
import type { Gauge } from '@holdfast/kit/metrics';
import type { Progress } from '@holdfast/providers/interface';
import type { AdmissionControl } from '@holdfast/queues/admission';

/** One provider's model. */
export type Place = { connection: string; target: string };

/** How many runs at once providers have room for, as all dispatchers together have learned from their refusals. */
export type Capacity = {
  /** The name under which runs there are counted; undefined while nothing was learned of the place. */
  nameOf(place: Place): string | undefined;
  /** Whether anything was learned of any place. */
  isLearned(): boolean;
  /** What came of a call: a run that was accepted makes room for more. */
  called(place: Place, progress: Progress): void;
  /** A run was refused for want of capacity; returns how many ms from now the place is asked again, at the earliest. */
  refused(run: BusyRun, retryAfterMs: number): Promise<number>;
  stop(): Promise<void>;
};

/** `busyRefusals`: how often it was refused before. */
export type BusyRun = Place & { id: string; busyRefusals: number; mayHaveRun: boolean };

const readEveryMs = 1000;
/** What was learned is believed for so long while Redis is away; then each run waits for itself. */
const believedMs = 10_000;
const firstPauseMs = 1000;
const longestPauseMs = 15_000;

const nameOf = ({ connection, target }: Place) => `route:${connection} ${target}`;

export function openCapacity(args: {
  db: Database;
  desk: AdmissionControl;
  learned: Gauge<'connection' | 'model'>;
  log: Logger;
}): Capacity {
  const { db, desk, log } = args;
  let known: ReadonlyMap<string, number> = new Map();
  let accepted = new Set<string>();
  /** Runs are looked up once, however many are refused at once. */
  const lookups = new Map<string, Promise<string[]>>();
  let readAtMs = performance.now();
  let reading: Promise<void> | null = null;

  function know(capacities: ReadonlyMap<string, number>): void {
    known = capacities;
    args.learned.reset();
    for (const [name, most] of known) {
      const [connection = '', ...target] = name.slice('route:'.length).split(' ');
      args.learned.set({ connection, model: target.join(' ') }, most);
    }
  }

  async function read(): Promise<void> {
    const told = [...accepted];
    accepted = new Set();
    try {
      know(await desk.capacities(told));
      readAtMs = performance.now();
    } catch (error) {
      log.debug({ err: error }, 'capacities could not be read');
      if (performance.now() - readAtMs > believedMs) know(new Map());
    }
  }

  function openRuns(place: Place): Promise<string[]> {
    const name = nameOf(place);
    const looking = lookups.get(name) ?? openRunsAt(db, place).finally(() => lookups.delete(name));
    lookups.set(name, looking);
    return looking;
  }

  const timer = setInterval(() => {
    reading ??= read().finally(() => {
      reading = null;
    });
  }, readEveryMs);
  return {
    nameOf(place) {
      const name = nameOf(place);
      return known.has(name) ? name : undefined;
    },
    isLearned: () => known.size > 0,
    called(place, { state }) {
      if (known.has(nameOf(place)) && (state === 'running' || state === 'ended')) accepted.add(nameOf(place));
    },
    async refused(run, retryAfterMs) {
      const name = nameOf(run);
      const jitter = 0.9 + Math.random() * 0.2;
      try {
        const open = known.has(name) ? {} : { open: await openRuns(run) };
        const { id: executionId, mayHaveRun } = run;
        const refusal = { name, executionId, retryAfterMs, mayHaveRun, jitter, ...open };
        const { most, waitMs } = await desk.refused(refusal);
        accepted.delete(name);
        know(new Map(known).set(name, most));
        return waitMs;
      } catch (error) {
        log.debug({ err: error }, 'a refusal could not be learned from');
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
  return Math.min(firstPauseMs * 2 ** busyRefusals, longestPauseMs);
}
