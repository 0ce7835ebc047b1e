import { setTimeout as sleep } from 'node:timers/promises';
import { type Batcher, createBatcher } from './batcher.ts';
import { createFairLimiter } from './fairLimiter.ts';

/** Whose item it is; blocked if another transaction holds a row that its write needs. */
export type Owner = { owner: string; isBlocked: boolean };

/**
 * An owner's items are written apart from the others' for this time after it was blocked. While only a query knows whose
 * an item is, each batch needs that query as long.
 */
const cautiousForMs = 60_000;
/** Writes and queries of owners set aside: the others keep the rest of the connections. */
const maxAside = 3;
const probeEveryMs = 250;
const tryAgainAfterMs = 1000;

type Writes<Item, Result> = {
  maxSize: number;
  run(items: Item[]): Promise<Result[]>;
  isLockTimeout(error: unknown): boolean;
  /** Returns the owner of every item, in order. */
  ownersOf(items: Item[]): Promise<Owner[]>;
};

type Blockage = { error: unknown; over: Promise<void> };
type Aside<Item, Result> = {
  batcher: Batcher<Item, Result>;
  items: number;
  blockage: Blockage | null;
  keptUntilMs: number;
};
type Shared<Result> = { result: Result } | { owner: string };

/**
 * A batcher whose `run` fails if it has waited too long for a row that another transaction holds. The items of the owner who
 * is blocked are then set aside, in batches of their own, and delay no other owner: each batch of several owners is held up
 * once at most, when the row is first found to be held.
 */
export function createIsolatedBatcher<Item, Result>(
  options: Writes<Item, Result> & {
    /** Returns the owner if it is known without a query. */
    ownerOf?(item: Item): string;
    /** An item of a blocked owner fails after this time. */
    maxBlockedMs: number;
    onBlocked?(owner: string): void;
  },
): Batcher<Item, Result> {
  const { maxSize, run, isLockTimeout, ownersOf, ownerOf, onBlocked } = options;
  const shared = createBatcher<Item, Shared<Result>>({ maxSize, run: runShared });
  const asides = createAsides<Item, Result>({
    ...options,
    onBlocked(owner) {
      beCautious();
      if (ownerOf) asides.keep(owner);
      onBlocked?.(owner);
    },
  });
  let cautiousUntilMs = Number.NEGATIVE_INFINITY;
  let inFlight = 0;
  const idleListeners: (() => void)[] = [];

  function beCautious(): void {
    cautiousUntilMs = performance.now() + cautiousForMs;
  }

  async function runShared(items: Item[]): Promise<Shared<Result>[]> {
    const results: Shared<Result>[] = [];
    let rest = [...items.keys()];
    const isCautious = ownerOf === undefined && performance.now() < cautiousUntilMs;
    if (isCautious) rest = await setAside(items, rest, results);
    while (rest.length > 0) {
      const indexes = rest;
      try {
        const written = await run(indexes.map((index) => items[index] as Item));
        for (const [at, index] of indexes.entries()) results[index] = { result: written[at] as Result };
        break;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        beCautious();
        rest = await setAside(items, indexes, results);
        // Whatever held it up is gone, or no row of an owner.
        if (rest.length === indexes.length) rest = await setAside(items, indexes, results, { all: true });
      }
    }
    return results;
  }

  /** Returns the indexes that are left. */
  async function setAside(
    items: Item[],
    indexes: number[],
    results: Shared<Result>[],
    { all = false } = {},
  ): Promise<number[]> {
    const owners = await ownersOf(indexes.map((index) => items[index] as Item));
    return indexes.filter((index, at) => {
      const { owner = '', isBlocked = false } = owners[at] ?? {};
      if (!isBlocked && !all) return true;
      if (isBlocked && ownerOf) asides.keep(owner);
      results[index] = { owner };
      return false;
    });
  }

  async function addOnce(item: Item): Promise<Result> {
    const owner = ownerOf?.(item);
    if (owner !== undefined && asides.has(owner)) return await asides.add(owner, item);
    const shares = await shared.add(item);
    return 'owner' in shares ? await asides.add(shares.owner, item) : shares.result;
  }

  return {
    async add(item) {
      inFlight += 1;
      try {
        return await addOnce(item);
      } finally {
        inFlight -= 1;
        if (inFlight === 0) for (const listener of idleListeners.splice(0)) listener();
      }
    },
    idle: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
    problem: shared.problem,
  };
}

/** Owners who are set aside until nothing of theirs waits and no row is held any longer. */
function createAsides<Item, Result>({
  maxSize,
  run,
  isLockTimeout,
  ownersOf,
  maxBlockedMs,
  onBlocked,
}: Writes<Item, Result> & { maxBlockedMs: number; onBlocked(owner: string): void }) {
  const asides = new Map<string, Aside<Item, Result>>();
  const inTurn = createFairLimiter(maxAside, 1);

  function asideOf(owner: string): Aside<Item, Result> {
    const open = asides.get(owner);
    if (open) return open;
    const batcher = createBatcher<Item, Result>({ maxSize, run: (items) => inTurn(owner, () => run(items)) });
    const aside = { batcher, items: 0, blockage: null, keptUntilMs: 0 };
    asides.set(owner, aside);
    return aside;
  }

  function keep(owner: string): void {
    asideOf(owner).keptUntilMs = performance.now() + cautiousForMs;
  }

  function has(owner: string): boolean {
    const aside = asides.get(owner);
    if (aside) closeIfIdle(owner, aside);
    return asides.has(owner);
  }

  async function add(owner: string, item: Item): Promise<Result> {
    const aside = asideOf(owner);
    aside.items += 1;
    const untilMs = performance.now() + maxBlockedMs;
    try {
      for (;;) {
        while (aside.blockage) {
          if (performance.now() >= untilMs) throw aside.blockage.error;
          await aside.blockage.over;
        }
        const written = await aside.batcher.add(item).then(
          (result) => ({ result }),
          (error: unknown) => {
            if (!isLockTimeout(error)) throw error;
            aside.blockage ??= block(owner, aside, item, error);
          },
        );
        if (written) return written.result;
      }
    } finally {
      aside.items -= 1;
      closeIfIdle(owner, aside);
    }
  }

  function block(owner: string, aside: Aside<Item, Result>, item: Item, error: unknown): Blockage {
    onBlocked(owner);
    for (const [name, one] of asides) closeIfIdle(name, one);
    return { error, over: untilFree(owner, aside, item) };
  }

  /** Resolves at the latest when it is time to try again, because another row may hold it up. */
  async function untilFree(owner: string, aside: Aside<Item, Result>, item: Item): Promise<void> {
    const untilMs = performance.now() + tryAgainAfterMs;
    for (let isBlocked = true; isBlocked && performance.now() < untilMs; ) {
      await sleep(probeEveryMs);
      const owners = await inTurn(owner, () => ownersOf([item])).catch(() => []);
      isBlocked = owners[0]?.isBlocked ?? false;
    }
    aside.blockage = null;
    closeIfIdle(owner, aside);
  }

  function closeIfIdle(owner: string, aside: Aside<Item, Result>): void {
    const isKept = performance.now() < aside.keptUntilMs;
    if (aside.items === 0 && aside.blockage === null && !isKept) asides.delete(owner);
  }

  return { add, has, keep };
}
