export type Batcher<Item, Result> = {
  /** Rejects when its whole batch failed. */
  add(item: Item): Promise<Result>;
  idle(): Promise<void>;
  /** For /healthz: null unless items wait and no batch has ended for a minute. */
  problem(): string | null;
};

const stuckAfterMs = 60_000;
const maxGatherMs = 4;
/** A batch that takes this long, as when commits wait for a standby far away, gathers enough calls while it runs. */
const longBatchMs = 8;
/** The shortest of this number of batches counts: the others waited for the CPU or a lock, which larger batches relieve. */
const remembered = 16;
/** For fewer arrivals in that time, waiting costs each call more than the statement saves. */
const worthGathering = 4;
/** Larger batches cost hardly less per item. */
const largeEnough = 32;

type Waiting<Item, Result> = {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/** Calls made during a batch form the next one; a lone call does not wait (design, rule 7). `run` keeps the order. */
export function createBatcher<Item, Result>(options: {
  maxSize: number;
  concurrency?: number;
  run(items: Item[]): Promise<Result[]>;
}): Batcher<Item, Result> {
  const { maxSize, concurrency = 1, run } = options;
  const isFew = (count: number) => count < Math.min(largeEnough, maxSize);
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let added = 0;
  let isGathering = false;
  let shortestMs: number | null = null;
  let idleListeners: (() => void)[] = [];
  let progressAtMs = performance.now();

  function flush(): void {
    if (isGathering && isFew(waiting.length)) return;
    while (inFlight < concurrency && waiting.length > 0) {
      const batch = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      inFlight += 1;
      void runBatch(batch);
    }
  }

  async function runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    const [startedAtMs, addedBefore] = [performance.now(), added];
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a batch must return one result per item');
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      inFlight -= 1;
      progressAtMs = performance.now();
      const tookMs = progressAtMs - startedAtMs;
      const gatherMs = gatherMsAfter(tookMs);
      const arrivalsPerMs = (added - addedBefore) / Math.max(1, tookMs);
      const isWorthwhile = arrivalsPerMs * gatherMs >= worthGathering;
      if (isWorthwhile && isFew(batch.length) && isFew(waiting.length)) gather(gatherMs);
      else flush();
      if (inFlight === 0 && waiting.length === 0) notifyIdle();
    }
  }

  function gatherMsAfter(tookMs: number): number {
    shortestMs ??= tookMs;
    shortestMs = Math.min(tookMs, shortestMs + (tookMs - shortestMs) / remembered);
    return Math.min(maxGatherMs, Math.max(0, longBatchMs - shortestMs));
  }

  // At half the top rate it saves a fifth of the work.
  function gather(gatherMs: number): void {
    if (isGathering) return;
    isGathering = true;
    setTimeout(() => {
      isGathering = false;
      flush();
    }, gatherMs);
  }

  function notifyIdle(): void {
    for (const listener of idleListeners) listener();
    idleListeners = [];
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        if (waiting.length + inFlight === 0) progressAtMs = performance.now();
        added += 1;
        waiting.push({ item, resolve, reject });
        // Calls of one turn of the event loop go together.
        if (waiting.length === 1 || (isGathering && !isFew(waiting.length))) setImmediate(flush);
      }),
    idle: () =>
      inFlight === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
    problem: () =>
      waiting.length + inFlight > 0 && performance.now() - progressAtMs > stuckAfterMs
        ? 'no batch has ended for a minute'
        : null,
  };
}
