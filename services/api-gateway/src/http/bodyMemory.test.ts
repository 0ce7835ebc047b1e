import { expect, it } from '@jest/globals';
import { openBodyMemory } from './bodyMemory.ts';

it('gives one holder half, all holders the whole, and takes back what is released', () => {
  const memory = openBodyMemory(100);
  const [first, again, second, third] = ['a', 'a', 'b', 'c'].map((holder) => memory.open(holder));
  first?.take(30);
  expect(() => again?.take(21)).toThrow('Too many of your requests');
  again?.take(20);
  second?.take(49);
  expect(() => third?.take(2)).toThrow('Too many requests have a large body');
  third?.take(1);
  expect(memory.heldBytes()).toBe(100);
  for (const hold of [first, first, second, third]) hold?.release();
  expect(memory.heldBytes()).toBe(20);
  expect(() => again?.take(31)).toThrow('Too many of your requests');
  again?.release();
  memory.open('a').take(50);
  expect(memory.heldBytes()).toBe(50);
});
