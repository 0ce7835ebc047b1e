import { AsyncLocalStorage } from 'node:async_hooks';

/** Memory that the work of a process fills with what can't be streamed: answers and inputs that are one piece of JSON. */
export type MemoryBudget = {
  /** What `work` takes by its `memoryHolder` is held until it has ended. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** Holds so many bytes more for the work under way: at once (null), or when the promise resolves. */
export type ReserveMemory = (bytes: number) => Promise<void> | null;

type Holding = { heldBytes: number; waiting: { bytes: number; go(): void }[]; hasEnded: boolean };

const current = new AsyncLocalStorage<ReserveMemory>();

/**
 * No more than `limitBytes` at once, but for the work that has held some for the longest: it never waits, so there is
 * always one that comes to its end.
 */
export function createMemoryBudget(limitBytes: number): MemoryBudget {
  // In the order in which they began to hold.
  const holdings = new Set<Holding>();
  let heldBytes = 0;

  const mayHold = (holding: Holding, bytes: number) => {
    const [first] = holdings;
    return holding === first || heldBytes + bytes <= limitBytes;
  };

  function add(holding: Holding, bytes: number): void {
    holding.heldBytes += bytes;
    heldBytes += bytes;
  }

  function letOn(holding: Holding): void {
    for (let next = holding.waiting[0]; next && mayHold(holding, next.bytes); next = holding.waiting[0]) {
      holding.waiting.shift();
      add(holding, next.bytes);
      next.go();
    }
  }

  function holderOf(holding: Holding): ReserveMemory {
    return (bytes) => {
      if (holding.hasEnded) return null;
      holdings.add(holding);
      if (holding.waiting.length > 0 || !mayHold(holding, bytes)) {
        return new Promise((go) => holding.waiting.push({ bytes, go }));
      }
      add(holding, bytes);
      return null;
    };
  }

  function end(holding: Holding): void {
    holding.hasEnded = true;
    holdings.delete(holding);
    heldBytes -= holding.heldBytes;
    for (const { go } of holding.waiting) go();
    for (const other of holdings) letOn(other);
  }

  return {
    async during(work) {
      const holding: Holding = { heldBytes: 0, waiting: [], hasEnded: false };
      try {
        return await current.run(holderOf(holding), work);
      } finally {
        end(holding);
      }
    },
  };
}

/** For the work that asks, and for what is done on its behalf elsewhere, as at a socket; null outside of any. */
export function currentReservation(): ReserveMemory | null {
  return current.getStore() ?? null;
}
