import { AsyncLocalStorage } from 'node:async_hooks';

/** Bounds the memory of a process for data that cannot be streamed, such as JSON responses and inputs. */
export type MemoryBudget = {
  /** What `work` reserves is freed when it ends. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** Reserves bytes for the current work: at once (null), or when the promise resolves. */
export type ReserveMemory = (bytes: number) => Promise<void> | null;

type Holding = { heldBytes: number; waiting: { bytes: number; go(): void }[]; hasEnded: boolean };

const current = new AsyncLocalStorage<ReserveMemory>();

/** The work that has reserved memory for the longest may exceed the limit, so that one always finishes. */
export function createMemoryBudget(limitBytes: number): MemoryBudget {
  // In the order of their first reservation.
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

/** Also for code that runs elsewhere on behalf of the work, such as a socket; null outside. */
export function currentReservation(): ReserveMemory | null {
  return current.getStore() ?? null;
}
