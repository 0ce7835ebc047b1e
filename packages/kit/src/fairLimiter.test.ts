import { expect, it } from '@jest/globals';
import { createFairLimiter } from './fairLimiter.ts';

it('a fair limiter runs no more at once than its maximum, in the order of the calls', async () => {
  const limited = createFairLimiter(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const works = [0, 1, 2, 3].map((number) =>
    limited('a', async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (number === 0) throw new Error('failed');
      return number;
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await expect(works[0]).rejects.toThrow('failed');
  expect(begun).toEqual([0, 1, 2]);
  ends[2]?.();
  expect(await works[2]).toBe(2);
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const end of ends) end();
  expect(await Promise.all(works.slice(1))).toEqual([1, 2, 3]);
  expect(await limited('a', async () => 'free')).toBe('free');
});

it('an owner with many calls leaves room for others, and takes turns with them', async () => {
  const limited = createFairLimiter(4, 2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const works = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1', 'd1'].map((name) =>
    limited(name.charAt(0), async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }),
  );
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  for (const next of ['a3', 'c1', 'd1', 'a4', 'a5']) {
    const [first = ''] = ends.keys();
    ends.get(first)?.();
    ends.delete(first);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun.at(-1)).toBe(next);
  }
  for (const end of ends.values()) end();
  await Promise.all(works);
});
