import { describe, expect, it } from '@jest/globals';
import {
  createMemoryBudget,
  currentReservation,
  type MemoryBudget,
  type ReserveMemory,
} from './memoryBudget.ts';

/** Work that holds the given bytes until the test ends it. */
async function begin(memory: MemoryBudget): Promise<{ hold: ReserveMemory; end(): Promise<void> }> {
  const begun = Promise.withResolvers<ReserveMemory>();
  const ending = Promise.withResolvers<void>();
  const work = memory.during(async () => {
    const hold = currentReservation();
    if (hold) begun.resolve(hold);
    await ending.promise;
  });
  return {
    hold: await begun.promise,
    async end() {
      ending.resolve();
      await work;
    },
  };
}

/** Whether it holds by now. */
async function isHeld(hold: Promise<void> | null): Promise<boolean> {
  let held = hold === null;
  void hold?.then(() => (held = true));
  await new Promise((resolve) => setImmediate(resolve));
  return held;
}

describe('a memory budget', () => {
  it('grants reservations at once while there is room, then as work ends', async () => {
    const memory = createMemoryBudget(100);
    const [first, second, third] = [await begin(memory), await begin(memory), await begin(memory)];
    expect(first.hold(60)).toBeNull();
    expect(second.hold(40)).toBeNull();
    const waits = third.hold(30);
    expect(await isHeld(waits)).toBe(false);
    await second.end();
    expect(await isHeld(waits)).toBe(true);
  });

  it('never makes the oldest reservation wait, so that no work deadlocks', async () => {
    const memory = createMemoryBudget(100);
    const [first, second] = [await begin(memory), await begin(memory)];
    expect(first.hold(50)).toBeNull();
    expect(second.hold(50)).toBeNull();
    const waits = second.hold(50);
    expect(first.hold(500)).toBeNull();
    expect(await isHeld(waits)).toBe(false);
    await first.end();
    expect(await isHeld(waits)).toBe(true);
  });

  it('grants reservations in the order of the requests', async () => {
    const memory = createMemoryBudget(100);
    const [first, second] = [await begin(memory), await begin(memory)];
    void first.hold(100);
    const [large, small] = [second.hold(101), second.hold(1)];
    expect(await isHeld(small)).toBe(false);
    await first.end();
    expect(await isHeld(large)).toBe(true);
    expect(await isHeld(small)).toBe(true);
  });

  it('frees the memory of failed work, and reserves nothing for ended work', async () => {
    const memory = createMemoryBudget(100);
    let late: ReserveMemory | null = null;
    const failing = memory.during(async () => {
      late = currentReservation();
      void late?.(100);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect((late as ReserveMemory | null)?.(100)).toBeNull();
    const [first, second] = [await begin(memory), await begin(memory)];
    expect(first.hold(50)).toBeNull();
    expect(second.hold(50)).toBeNull();
  });

  it('resolves the waiting reservations of ended work', async () => {
    const memory = createMemoryBudget(100);
    const [first, second] = [await begin(memory), await begin(memory)];
    void first.hold(100);
    const waits = second.hold(100);
    await second.end();
    expect(await isHeld(waits)).toBe(true);
  });

  it('counts nothing without work', () => {
    expect(currentReservation()).toBeNull();
  });
});
