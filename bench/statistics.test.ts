import { describe, expect, it } from '@jest/globals';
import { distribution, lowestPerSecond, percentile, perSecond, withoutFirst } from './statistics.ts';

const created = (sentAtMs: number, latencyMs: number) => ({ id: 'exec', sentAtMs, latencyMs, keyIndex: 0 });

describe('the statistics', () => {
  it('a percentile is a value that was measured', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(percentile([4, 1, 3, 2], 0.99)).toBe(4);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('a rate counts from the first request to the last response', () => {
    expect(perSecond([created(1000, 100), created(1200, 800), created(1900, 50)])).toBe(3);
  });

  it('a warm-up is left out by when it was sent', () => {
    expect(withoutFirst([created(1000, 5), created(1999, 5), created(2000, 5)], 1)).toEqual([
      created(2000, 5),
    ]);
  });

  it('the lowest rate is that of the emptiest complete window', () => {
    const timesMs = [0, 100, 200, 900, 1500, 2000, 2100, 2999, 3000];
    expect(lowestPerSecond(timesMs, 1)).toBe(1);
    expect(lowestPerSecond(timesMs, 3)).toBe(8 / 3);
    expect(lowestPerSecond([0, 5000], 1)).toBe(0);
    expect(lowestPerSecond([0, 999], 1)).toBeNaN();
  });

  it('a distribution goes from the least to the most', () => {
    const points = distribution([1, 2, 3, 4]);
    expect(points[0]).toEqual([1, 0]);
    expect(points.at(-1)).toEqual([4, 1]);
  });
});
