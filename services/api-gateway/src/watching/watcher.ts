import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { readWatchedExecutions, type WatchedExecution } from '@holdfast/db/executions/watch';
import type { Execution } from '@holdfast/domain/execution';
import { type ExecutionStatus, isTerminal } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';
import { createShares, type Shares } from '@holdfast/kit/shares';

const pollIntervalMs = 250;

/** Waiting requests beyond this, or the share of their organization, get a response at once, as without `wait`. */
const maxWaiting = 5000;

export type Watch = {
  /** The log is wanted from this character on; null: not now. */
  logsSeen(): number | null;
  /** Called at every poll, changed or not, so a missed call is made up by the next. */
  onRead(execution: WatchedExecution): void;
  /** The gateway is stopping. */
  onClosed(): void;
};

export type Watcher = {
  /** Watches until the returned function is called. */
  watch(id: string, watch: Watch): () => void;
  /**
   * Waits until the status differs from that of `execution`, `waitMs` have passed, the gateway stops or the client
   * disconnects. Returns false when there was nothing to wait for.
   */
  waitForChange(execution: Known, waitMs: number, response: ServerResponse): Promise<boolean>;
  waitForEnd(execution: Known, waitMs: number, response: ServerResponse): Promise<boolean>;
  size(): number;
  close(): void;
};

type Known = Pick<Execution, 'id' | 'status' | 'organizationId'>;

/** Polls all watched executions with one statement every 250 ms, while there are any. */
export function openWatcher({ db, log }: { db: Database; log: Logger }): Watcher {
  const watches = new Map<Watch, string>();
  const waiting = createShares(maxWaiting);
  let timer: NodeJS.Timeout | null = null;
  let isPolling = false;
  let isClosed = false;

  async function poll(): Promise<void> {
    const startedAt = performance.now();
    timer = null;
    isPolling = true;
    try {
      await readAll();
    } catch (error) {
      log.warn({ err: error }, 'could not read watched executions');
    }
    isPolling = false;
    schedule(Math.max(0, startedAt + pollIntervalMs - performance.now()));
  }

  async function readAll(): Promise<void> {
    const current = [...watches].map(([watch, id]) => ({ watch, id, logsSeen: watch.logsSeen() }));
    const byId = Map.groupBy(current, ({ id }) => id);
    const wanted = [...byId].map(([id, some]) => ({ id, logsSeen: lowest(some.map((one) => one.logsSeen)) }));
    for (const execution of await readWatchedExecutions(db, wanted)) {
      for (const { watch, logsSeen } of byId.get(execution.id) ?? []) {
        if (!watches.has(watch)) continue;
        // The log was read for another watch: it may start after this one's position.
        watch.onRead(logsSeen === null ? { ...execution, logFrom: null, log: null } : execution);
      }
    }
  }

  function schedule(delayMs: number): void {
    if (timer !== null || isPolling || watches.size === 0) return;
    timer = setTimeout(() => void poll(), delayMs);
  }

  const watcher: Watcher = {
    watch(id, watch) {
      if (isClosed) watch.onClosed();
      else watches.set(watch, id);
      schedule(0);
      return () => watches.delete(watch);
    },
    waitForChange: (known, ...wait) =>
      waitFor(watcher, waiting, known, (status) => status !== known.status, ...wait),
    waitForEnd: (known, ...wait) => waitFor(watcher, waiting, known, isTerminal, ...wait),
    size: () => watches.size,
    close() {
      isClosed = true;
      const all = [...watches.keys()];
      watches.clear();
      if (timer !== null) clearTimeout(timer);
      for (const watch of all) watch.onClosed();
    },
  };
  return watcher;
}

function lowest(numbers: (number | null)[]): number | null {
  const known = numbers.filter((one) => one !== null);
  return known.length === 0 ? null : Math.min(...known);
}

async function waitFor(
  watcher: Watcher,
  waiting: Shares,
  { id, status: known, organizationId }: Known,
  isReached: (status: ExecutionStatus) => boolean,
  waitMs: number,
  response: ServerResponse,
): Promise<boolean> {
  if (waitMs === 0 || isTerminal(known) || response.destroyed) return false;
  if (waiting.roomOf(organizationId) === 0) return false;
  waiting.take(organizationId, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  response.once('close', resolve);
  const unwatch = watcher.watch(id, {
    logsSeen: () => null,
    onRead: ({ status }) => isReached(status) && resolve(),
    onClosed: resolve,
  });
  await promise;
  unwatch();
  clearTimeout(timer);
  response.off('close', resolve);
  waiting.give(organizationId, 1);
  return true;
}
