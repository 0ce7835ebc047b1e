import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { readWatchedExecutions, type WatchedExecution } from '@holdfast/db/executions/watch';
import type { Execution } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';

const everyMs = 250;

/** Somebody who wants to know how an execution goes on. */
export type Watch = {
  /** After how many characters of log it wants more; null: it wants none now. */
  logsSeen(): number | null;
  /** How it stands, at every look, changed or not: one that is missed is made up for by the next. */
  sees(sighting: WatchedExecution): void;
  /** The gateway stops: there is nothing more to see. */
  ends(): void;
};

export type Watcher = {
  /** Until the function that it answers is called. */
  watch(id: string, watch: Watch): () => void;
  size(): number;
  close(): void;
};

/** Looks at all executions that anybody watches with one statement, every 250 ms for as long as somebody does. */
export function openWatcher({ db, log }: { db: Database; log: Logger }): Watcher {
  const watches = new Map<Watch, string>();
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isClosed = false;

  async function look(): Promise<void> {
    const startedAt = performance.now();
    timer = null;
    isLooking = true;
    try {
      await tellAll();
    } catch (error) {
      log.warn({ err: error }, 'watched executions could not be read');
    }
    isLooking = false;
    schedule(Math.max(0, startedAt + everyMs - performance.now()));
  }

  async function tellAll(): Promise<void> {
    const asking = [...watches].map(([watch, id]) => ({ watch, id, logsSeen: watch.logsSeen() }));
    const byId = Map.groupBy(asking, ({ id }) => id);
    const asked = [...byId].map(([id, some]) => ({ id, logsSeen: least(some.map((one) => one.logsSeen)) }));
    for (const sighting of await readWatchedExecutions(db, asked)) {
      for (const { watch, logsSeen } of byId.get(sighting.id) ?? []) {
        if (!watches.has(watch)) continue;
        // What others asked for may begin after what this one has.
        watch.sees(logsSeen === null ? { ...sighting, logFrom: null, log: null } : sighting);
      }
    }
  }

  function schedule(delayMs: number): void {
    if (timer !== null || isLooking || watches.size === 0) return;
    timer = setTimeout(() => void look(), delayMs);
  }

  return {
    watch(id, watch) {
      if (isClosed) watch.ends();
      else watches.set(watch, id);
      schedule(0);
      return () => watches.delete(watch);
    },
    size: () => watches.size,
    close() {
      isClosed = true;
      const all = [...watches.keys()];
      watches.clear();
      if (timer !== null) clearTimeout(timer);
      for (const watch of all) watch.ends();
    },
  };
}

function least(numbers: (number | null)[]): number | null {
  const given = numbers.filter((one) => one !== null);
  return given.length === 0 ? null : Math.min(...given);
}

/** More are not held up: they are answered at once, as without `wait`. */
const mostWaiting = 5000;

/**
 * Until the status of an execution is another than `execution` has, it can't change any more, `waitMs` have passed, the
 * gateway stops or the client went away. False when there was nothing to wait for.
 */
export async function untilChanged(
  watcher: Watcher,
  execution: Pick<Execution, 'id' | 'status'>,
  waitMs: number,
  response: ServerResponse,
): Promise<boolean> {
  if (waitMs === 0 || isTerminal(execution.status) || response.destroyed) return false;
  if (watcher.size() >= mostWaiting) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  response.once('close', resolve);
  const unwatch = watcher.watch(execution.id, {
    logsSeen: () => null,
    sees: ({ status }) => status !== execution.status && resolve(),
    ends: resolve,
  });
  await promise;
  unwatch();
  clearTimeout(timer);
  response.off('close', resolve);
  return true;
}
