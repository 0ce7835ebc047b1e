import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { readWatchedExecutions, type WatchedExecution } from '@holdfast/db/executions/watch';
import type { Execution } from '@holdfast/domain/execution';
import { type ExecutionStatus, isTerminal } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';
import { createShares, type Shares } from '@holdfast/kit/shares';
import type { ChangeFeed, ChangeHandlers } from '@holdfast/queues/changes';

/** For changes whose message was lost, or that have none. */
const pollIntervalMs = 1000;
/** While messages may be missing. */
const pollIntervalWithoutFeedMs = 250;
/** The feed stays open for this time after the last watch. */
const feedLingerMs = 30_000;

/** Waiting requests beyond this, or the share of their organization, get a response at once, as without `wait`. */
const maxWaiting = 5000;

export type Watch = {
  /** The log is wanted from this character on; null: not now. */
  logsSeen(): number | null;
  /** Called at every poll, changed or not, so a missed call is made up by the next. */
  onRead(execution: WatchedExecution): void;
  /** For a watch that only needs the status; the others read what changed. */
  onStatus?(status: ExecutionStatus): void;
  /** For a watch that reads by itself: called at every message about the execution. */
  onChange?(): void;
  /** The gateway is stopping. */
  onClosed(): void;
};

export type Watcher = {
  /** Watches until the returned function is called. */
  watch(id: string, watch: Watch): () => void;
  /**
   * Waits until the status differs from `execution`'s, `waitMs` have passed, the gateway stops or the client disconnects.
   * Returns false when there was nothing to wait for.
   */
  waitForChange(execution: Known, waitMs: number, response: ServerResponse): Promise<boolean>;
  waitForEnd(execution: Known, waitMs: number, response: ServerResponse): Promise<boolean>;
  size(): number;
  close(): void;
};

type Watches = Map<string, Set<Watch>>;
type Known = Pick<Execution, 'id' | 'status' | 'organizationId'>;

/**
 * Reads watched executions when a change is reported (queues/changes), and all of them with one statement every second,
 * while there are any.
 */
export function openWatcher(args: {
  db: Database;
  log: Logger;
  openFeed(handlers: ChangeHandlers): ChangeFeed;
}): Watcher {
  const { db, log } = args;
  const watches: Watches = new Map();
  const reader = createReader(db, log, watches);
  const waiting = createShares(maxWaiting);
  let timer: NodeJS.Timeout | null = null;
  let lingering: NodeJS.Timeout | null = null;
  let isClosed = false;
  const feed = args.openFeed({ onChange, onLive: reader.readAll });

  function onChange(id: string, status: ExecutionStatus | null): void {
    const ofId = watches.get(id);
    if (!ofId) return;
    let mustRead = false;
    for (const watch of ofId) {
      if (watch.onChange) watch.onChange();
      else if (!watch.onStatus) mustRead = true;
      else if (status) watch.onStatus(status);
    }
    if (mustRead) reader.read(id);
  }

  function pollLater(): void {
    timer ??= setTimeout(
      () => {
        timer = null;
        if (watches.size === 0) return;
        reader.readAll();
        pollLater();
      },
      feed.isLive() ? pollIntervalMs : pollIntervalWithoutFeedMs,
    );
  }

  function listen(): void {
    if (lingering) clearTimeout(lingering);
    lingering = null;
    feed.listen();
  }

  function stopListening(): void {
    lingering ??= setTimeout(() => feed.pause(), feedLingerMs).unref();
  }

  function add(id: string, watch: Watch): void {
    listen();
    watches.set(id, (watches.get(id) ?? new Set()).add(watch));
    pollLater();
    const known = feed.statusOf(id);
    if (known) watch.onStatus?.(known);
    if (!watch.onChange && (!watch.onStatus || !feed.isLive())) reader.read(id);
  }

  function remove(id: string, watch: Watch): void {
    const ofId = watches.get(id);
    ofId?.delete(watch);
    if (ofId?.size === 0) watches.delete(id);
    if (watches.size === 0) stopListening();
  }

  const watcher: Watcher = {
    watch(id, watch) {
      if (isClosed) watch.onClosed();
      else add(id, watch);
      return () => remove(id, watch);
    },
    waitForChange: (known, ...wait) =>
      waitFor(watcher, waiting, known, (status) => status !== known.status, ...wait),
    waitForEnd: (known, ...wait) => waitFor(watcher, waiting, known, isTerminal, ...wait),
    size: () => [...watches.values()].reduce((sum, ofId) => sum + ofId.size, 0),
    close() {
      isClosed = true;
      const all = [...watches.values()].flatMap((ofId) => [...ofId]);
      watches.clear();
      for (const one of [timer, lingering]) if (one) clearTimeout(one);
      feed.pause();
      for (const watch of all) watch.onClosed();
    },
  };
  return watcher;
}

/** Reads watched executions, one statement at a time, and shows each to its watches. */
function createReader(db: Database, log: Logger, watches: Watches) {
  /** Executions to read; null: all. */
  let due: Set<string> | null = new Set();
  let isReading = false;

  async function readDue(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (watches.size > 0 && (due === null || due.size > 0)) {
      const ids = due ?? watches.keys();
      due = new Set();
      await readAndShow(db, watches, [...ids]).catch((error: unknown) =>
        log.warn({ err: error }, 'could not read watched executions'),
      );
    }
    due ??= new Set();
    isReading = false;
  }

  return {
    read(id: string): void {
      due?.add(id);
      void readDue();
    },
    readAll(): void {
      due = null;
      void readDue();
    },
  };
}

async function readAndShow(db: Database, watches: Watches, ids: string[]): Promise<void> {
  const byId = new Map(ids.map((id) => [id, [...(watches.get(id) ?? [])]]));
  const seenBy = new Map([...byId.values()].flat().map((watch) => [watch, watch.logsSeen()]));
  const wanted = [...byId].map(([id, some]) => ({
    id,
    logsSeen: lowest(some.map((watch) => seenBy.get(watch) ?? null)),
  }));
  for (const execution of await readWatchedExecutions(db, wanted)) {
    for (const watch of byId.get(execution.id) ?? []) {
      if (!watches.get(execution.id)?.has(watch)) continue;
      // The log was read for another watch: it may start after this one's position.
      const isLogWanted = (seenBy.get(watch) ?? null) !== null;
      watch.onRead(isLogWanted ? execution : { ...execution, logFrom: null, log: null });
    }
  }
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
    // A message of an earlier status may come late: after PENDING, only an end is certainly news.
    onStatus: (status) => isReached(status) && (known === 'PENDING' || isTerminal(status)) && resolve(),
    onClosed: resolve,
  });
  await promise;
  unwatch();
  clearTimeout(timer);
  response.off('close', resolve);
  waiting.give(organizationId, 1);
  return true;
}
