import { describe, expect, it } from '@jest/globals';
import { storableJson } from './storable.ts';

describe('storableJson', () => {
  it.each([
    ['NUL', 'a\0b', 'a\uFFFDb'],
    ['a high surrogate alone', 'a\uD83Db', 'a\uFFFDb'],
    ['a low surrogate alone', 'a\uDE00b', 'a\uFFFDb'],
    ['a whole pair', 'a😀b', 'a😀b'],
    ['other escapes', '\u0001"\\\n', '\u0001"\\\n'],
    ['what only looks like an escape', '\\u0000 \\\\ud800', '\\u0000 \\\\ud800'],
  ])('keeps or replaces %s', (_what, text, kept) => {
    expect(JSON.parse(storableJson({ [text]: [text] }))).toEqual({ [kept]: [kept] });
  });
});
