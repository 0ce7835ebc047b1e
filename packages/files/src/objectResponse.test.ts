import { describe, expect, it } from '@jest/globals';
import { parseRange } from './objectResponse.ts';

describe('parseRange', () => {
  it.each([
    ['bytes=0-4', { start: 0, end: 4 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=5-500', { start: 5, end: 9 }],
    ['bytes=-10', { start: 0, end: 9 }],
    ['bytes=-11', { start: 0, end: 9 }],
    ['bytes=-99999999999999999999', { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=5-4', 'unsatisfiable'],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['nonsense', null],
    [undefined, null],
  ])('%j of ten bytes is %j', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });
});
