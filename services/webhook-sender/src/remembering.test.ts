import { describe, expect, it } from '@jest/globals';
import { remembering } from './remembering.ts';

describe('what is remembered', () => {
  it('is read once, and again when texts that came later have taken its room', () => {
    const read: string[] = [];
    const lengthOf = remembering((text) => {
      read.push(text);
      return text.length;
    }, 10);
    for (const text of ['aaaa', 'bbbb', 'aaaa', 'cccc', 'bbbb', 'aaaa']) expect(lengthOf(text)).toBe(4);
    expect(read).toEqual(['aaaa', 'bbbb', 'cccc', 'aaaa']);
  });

  it('has room for no text that is longer than all of it', () => {
    let reads = 0;
    const count = remembering(() => (reads += 1), 10);
    expect([count('x'.repeat(11)), count('x'.repeat(11))]).toEqual([1, 2]);
  });
});
