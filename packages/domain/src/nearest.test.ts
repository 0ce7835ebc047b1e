import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest.ts';

describe('the nearest name', () => {
  const known = ['prompt', 'width', 'sandbox-text', 'sandbox-image', 'n'];

  it.each([
    ['promt', 'prompt'],
    ['pormpt', 'prompt'],
    ['PROMPT', 'prompt'],
    ['sandbox-txt', 'sandbox-text'],
    ['sandbox_image', 'sandbox-image'],
    ['m', 'n'],
    ['height', null],
    ['', null],
    ['x'.repeat(1000), null],
  ])('of %j is %j', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it('is the first of several that are as near', () => {
    expect(nearestName('b', ['a', 'c'])).toBe('a');
  });
});
