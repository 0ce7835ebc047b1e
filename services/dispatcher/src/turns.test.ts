import { expect, it } from '@jest/globals';
import { createTurns } from './turns.ts';

it('no more are under way at once than there are turns, and who comes first goes first', async () => {
  const inTurn = createTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const works = [0, 1, 2, 3].map((number) =>
    inTurn(async () => {
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
  expect(await inTurn(async () => 'free')).toBe('free');
});
