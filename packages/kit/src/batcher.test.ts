import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBatcher } from './batcher.ts';

/** A batcher whose batches end when the test ends them. */
function openGated(options: { maxSize: number; concurrency?: number }) {
  const batches: { items: number[]; end(results: number[]): void; fail(error: Error): void }[] = [];
  const batcher = createBatcher<number, number>({
    ...options,
    run: (items) =>
      new Promise((end, fail) => {
        batches.push({ items, end, fail });
      }),
  });
  return { batcher, batches };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] }));
afterEach(() => void jest.useRealTimers());

describe('a batcher', () => {
  it('runs a single call at once', async () => {
    const { batcher, batches } = openGated({ maxSize: 10 });
    const added = batcher.add(1);
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
    batches[0]?.end([10]);
    expect(await added).toBe(10);
  });

  it('collects the calls during a batch, in order and up to its maximum size', async () => {
    const { batcher, batches } = openGated({ maxSize: 2 });
    const first = batcher.add(0);
    await turn();
    const later = [1, 2, 3].map(batcher.add);
    await turn();
    expect(batches).toHaveLength(1);
    batches[0]?.end([0]);
    await first;
    await turn();
    expect(batches[1]?.items).toEqual([1, 2]);
    batches[1]?.end([10, 20]);
    await turn();
    jest.runAllTimers();
    batches[2]?.end([30]);
    expect(await Promise.all(later)).toEqual([10, 20, 30]);
  });

  it('has at most its maximum of batches in flight', async () => {
    const { batcher, batches } = openGated({ maxSize: 1, concurrency: 2 });
    const all = Promise.all([1, 2, 3].map(batcher.add));
    await turn();
    expect(batches).toHaveLength(2);
    for (const batch of batches) batch.end(batch.items);
    await turn();
    batches[2]?.end([3]);
    expect(await all).toEqual([1, 2, 3]);
  });

  it('waits a moment when calls come fast, unless the next batch is full', async () => {
    const { batcher, batches } = openGated({ maxSize: 6 });
    const calls = [0, 1, 2, 3, 4].map(batcher.add);
    await turn();
    calls.push(...[5, 6, 7, 8].map(batcher.add));
    jest.advanceTimersByTime(4);
    batches[0]?.end([0, 1, 2, 3, 4]);
    await turn();
    expect(batches).toHaveLength(1);
    calls.push(batcher.add(9), batcher.add(10));
    await turn();
    expect(batches[1]?.items).toEqual([5, 6, 7, 8, 9, 10]);
    batches[1]?.end([5, 6, 7, 8, 9, 10]);
    expect(await Promise.all(calls)).toHaveLength(11);
  });

  it('starts the next batch at once when calls come slowly', async () => {
    const { batcher, batches } = openGated({ maxSize: 100 });
    const calls = [batcher.add(0), batcher.add(1)];
    await turn();
    calls.push(batcher.add(2), batcher.add(3));
    jest.advanceTimersByTime(4);
    batches[0]?.end([0, 1]);
    await turn();
    expect(batches[1]?.items).toEqual([2, 3]);
    batches[1]?.end([2, 3]);
    expect(await Promise.all(calls)).toEqual([0, 1, 2, 3]);
  });

  it('gathers less the longer its shortest batches take, and as before when they are short again', async () => {
    const { batcher, batches } = openGated({ maxSize: 32 });
    const calls: Promise<number>[] = [];
    /** Ends a batch after `tookMs`, with ten calls during it; returns whether the next batch starts at once. */
    const startsAtOnceAfter = async (tookMs: number) => {
      if (calls.length === 0) calls.push(batcher.add(0));
      await turn();
      calls.push(...Array.from({ length: 10 }, (_, index) => batcher.add(index)));
      await turn();
      jest.advanceTimersByTime(tookMs);
      const count = batches.length;
      batches.at(-1)?.end(batches.at(-1)?.items ?? []);
      await turn();
      const isStarted = batches.length > count;
      jest.runOnlyPendingTimers();
      await turn();
      return isStarted;
    };
    expect(await startsAtOnceAfter(3)).toBe(false);
    const isStarted: boolean[] = [];
    for (let nth = 0; nth < 100; nth += 1) isStarted.push(await startsAtOnceAfter(9));
    // Never back and forth.
    expect(isStarted.lastIndexOf(false)).toBe(isStarted.indexOf(true) - 1);
    expect([isStarted[0], isStarted.at(-1)]).toEqual([false, true]);
    expect(await startsAtOnceAfter(3)).toBe(false);
    batches.at(-1)?.end(batches.at(-1)?.items ?? []);
    await Promise.all(calls);
  });

  it('fails every call of a failed batch, and runs the next one', async () => {
    const { batcher, batches } = openGated({ maxSize: 2 });
    const failing = Promise.allSettled([batcher.add(1), batcher.add(2)]);
    await turn();
    const next = batcher.add(3);
    batches[0]?.fail(new Error('no'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    jest.runAllTimers();
    batches[1]?.end([3]);
    expect(await next).toBe(3);
  });

  it('fails a batch that does not return one result per item', async () => {
    const batcher = createBatcher<number, number>({ maxSize: 10, run: async () => [1, 2] });
    await expect(batcher.add(1)).rejects.toThrow('one result per item');
  });

  it('is idle when nothing is pending or in flight', async () => {
    const { batcher, batches } = openGated({ maxSize: 1 });
    await batcher.idle();
    const added = [batcher.add(1), batcher.add(2)];
    const idled = jest.fn();
    const idle = batcher.idle().then(idled);
    await turn();
    batches[0]?.end([1]);
    await turn();
    expect(idled).not.toHaveBeenCalled();
    batches[1]?.end([2]);
    await Promise.all([...added, idle]);
    expect(idled).toHaveBeenCalled();
  });
});
