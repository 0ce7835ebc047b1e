import { describe, expect, it, jest } from '@jest/globals';
import { createIsolatedBatcher } from './isolatedBatcher.ts';

const timeout = new Error('lock timeout');

/** Items are `owner number`. Those of `locked` owners make a write fail; `isSeen`: a query finds them. */
function open(options: {
  locked?: string[];
  isSeen?: boolean;
  maxBlockedMs?: number;
  knowsOwners?: boolean;
}) {
  const { isSeen = true, maxBlockedMs = 60_000, knowsOwners = true } = options;
  const locked = new Set(options.locked);
  const batches: string[][] = [];
  const onBlocked = jest.fn();
  const ownerOf = (item: string) => item.split(' ')[0] ?? '';
  const ownersOf = jest.fn(async (items: string[]) =>
    items.map((item) => ({ owner: ownerOf(item), isBlocked: isSeen && locked.has(ownerOf(item)) })),
  );
  const batcher = createIsolatedBatcher({
    maxSize: 10,
    isLockTimeout: (error) => error === timeout,
    maxBlockedMs,
    onBlocked,
    ...(knowsOwners && { ownerOf }),
    ownersOf,
    async run(items: string[]) {
      batches.push(items);
      if (items.some((item) => item.startsWith('odd'))) throw new Error('odd');
      if (items.some((item) => locked.has(ownerOf(item)))) throw timeout;
      return items.map((item) => item.toUpperCase());
    },
  });
  return { batcher, batches, locked, ownersOf, onBlocked };
}

describe('an isolated batcher', () => {
  it('writes the items of all owners together, and asks nothing, while no row is locked', async () => {
    const { batcher, batches, ownersOf } = open({});
    expect(await Promise.all(['a 1', 'b 1', 'a 2'].map(batcher.add))).toEqual(['A 1', 'B 1', 'A 2']);
    expect([batches, ownersOf.mock.calls]).toEqual([[['a 1', 'b 1', 'a 2']], []]);
  });

  it.each([true, false])(
    'writes the other items at once, and those of the owner who is blocked when it no longer is (owners known: %s)',
    async (knowsOwners) => {
      const { batcher, batches, locked, onBlocked } = open({ locked: ['b'], knowsOwners });
      const blocked = Promise.all(['b 1', 'b 2'].map(batcher.add));
      expect(await Promise.all(['a 1', 'c 1'].map(batcher.add))).toEqual(['A 1', 'C 1']);
      const later = batcher.add('b 3');
      expect(await batcher.add('a 2')).toBe('A 2');
      const idled = jest.fn();
      const idle = batcher.idle().then(idled);
      expect(idled).not.toHaveBeenCalled();
      locked.clear();
      expect([await blocked, await later]).toEqual([['B 1', 'B 2'], 'B 3']);
      await idle;
      const mixed = batches.filter((batch) => batch.some((item) => item.startsWith('b')));
      // Only the first batch has met the lock together with others.
      expect(mixed.filter((batch) => batch.some((item) => !item.startsWith('b')))).toHaveLength(1);
      expect(onBlocked.mock.calls).toEqual([['b']]);
    },
  );

  it.each([true, false])(
    'keeps the owner who was blocked apart afterwards, with a query for each batch of unknown owners only (known: %s)',
    async (knowsOwners) => {
      const { batcher, batches, locked, ownersOf } = open({ locked: ['b'], knowsOwners });
      const blocked = batcher.add('b 1');
      await batcher.add('a 1');
      locked.clear();
      await blocked;
      ownersOf.mockClear();
      batches.length = 0;
      locked.add('b');
      const again = batcher.add('b 2');
      expect(await Promise.all(['a 2', 'c 2'].map(batcher.add))).toEqual(['A 2', 'C 2']);
      expect(batches.filter((batch) => batch.includes('a 2'))).toEqual([['a 2', 'c 2']]);
      const asked = ownersOf.mock.calls.filter(([items]) => items.includes('a 2'));
      expect(asked).toHaveLength(knowsOwners ? 0 : 1);
      locked.clear();
      expect(await again).toBe('B 2');
    },
  );

  it('writes each owner by itself when no query finds what is locked', async () => {
    const { batcher } = open({ locked: ['b'], isSeen: false, maxBlockedMs: 0 });
    const ended = await Promise.allSettled(['a 1', 'b 1', 'c 1'].map(batcher.add));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails an item that is blocked for longer than it may wait', async () => {
    const { batcher, batches } = open({ locked: ['b'], maxBlockedMs: 0 });
    await expect(batcher.add('b 1')).rejects.toBe(timeout);
    const tries = batches.length;
    await expect(batcher.add('b 2')).rejects.toBe(timeout);
    expect(batches).toHaveLength(tries);
  });

  it('fails a batch for any other error', async () => {
    const { batcher } = open({});
    await expect(Promise.all(['a 1', 'odd 1'].map(batcher.add))).rejects.toThrow('odd');
    expect(await batcher.add('a 1')).toBe('A 1');
  });
});
