import { describe, expect, it } from '@jest/globals';
import { age, ago, changeText, duration, flooredPercent, percent } from './format.ts';

describe('a duration', () => {
  it.each([
    [null, '–'],
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1.00 s'],
    [59_990, '59.99 s'],
    [60_000, '1 min 0 s'],
    [119_700, '2 min 0 s'],
  ])('of %p ms is shown as %s', (ms, shown) => {
    expect(duration(ms)).toBe(shown);
  });
});

describe('an age', () => {
  it.each([
    [59.9, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [172_799, '47 h'],
    [172_800, '2 days'],
  ])('of %p s is shown as %s', (seconds, shown) => {
    expect(age(seconds)).toBe(shown);
  });
});

describe('a share', () => {
  it.each([
    [0, '0 %'],
    [0.004, '0.4 %'],
    [0.1, '10 %'],
    [1, '100 %'],
  ])('of %p is shown as %s', (share, shown) => {
    expect(percent(share)).toBe(shown);
  });

  it('of 1,999 in 2,000 is not shown as all of them', () => {
    expect(flooredPercent(1999 / 2000)).toBe('99.9 %');
    expect(flooredPercent(1)).toBe('100 %');
  });
});

describe('the change of an amount', () => {
  it.each([
    ['1.50', '+1.50'],
    ['-1.50', '-1.50'],
    ['0.00', ''],
    ['-0', ''],
  ])('by %s is shown as "%s"', (by, shown) => {
    expect(changeText(by)).toBe(shown);
  });
});

describe('a time in a list', () => {
  it.each([
    [0, '0s ago'],
    [59, '59s ago'],
    [60, '1m ago'],
    [7199, '1h ago'],
    [86_400, '1d ago'],
    [-5, '0s ago'],
  ])('%d s ago is written %s', (seconds, written) => {
    const now = Date.parse('2026-11-28T12:00:00Z');
    expect(ago(new Date(now - seconds * 1000), now)).toBe(written);
  });

  it('is a date after a week', () => {
    const now = Date.parse('2026-11-28T12:00:00Z');
    expect(ago(new Date(now - 8 * 86_400_000), now)).toMatch(/2026/);
  });
});
