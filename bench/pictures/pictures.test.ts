import { describe, expect, it } from '@jest/globals';
import { latencyPicture } from './latency.ts';
import { ratePicture } from './rate.ts';
import { aligned, logTicks, roundTicks } from './ticks.ts';

const when = '2026-01-02, abc1234';

const curve = {
  curve_creates_per_s: [
    [1, 300],
    [4, 900],
    [16, 1900],
  ] as [number, number][],
  curve_p50_ms: [
    [1, 3],
    [4, 4],
    [16, 8],
  ] as [number, number][],
  curve_p99_ms: [
    [1, 9],
    [4, 12],
    [16, 31],
  ] as [number, number][],
};

const path = (svg: string | null, nth: number) => [...(svg ?? '').matchAll(/<path d="([^"]+)"/g)][nth]?.[1];

describe('the pictures', () => {
  it('draw the rate with its latencies, axes with their units, when and of what', () => {
    const svg = ratePicture(curve, when);
    for (const text of ['clients', 'creates per second', 'latency in ms', when]) expect(svg).toContain(text);
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg?.match(/<path /g)).toHaveLength(3);
    expect(path(svg, 0)).toMatch(/^M78 .*L690 /);
  });

  it('draw a point of a logarithmic axis where its logarithm is', () => {
    // 4 of 1..16 is the middle of 78..690; 1,000 of 0..2,000 is the middle of 330..62.
    const middle = {
      ...curve,
      curve_creates_per_s: [
        [1, 0],
        [4, 1000],
        [16, 2000],
      ] as [number, number][],
    };
    expect(path(ratePicture(middle, when), 0)).toBe('M78 330L384 196L690 62');
  });

  it('draw the distributions that were measured', () => {
    const points: [number, number][] = [
      [10, 0],
      [20, 0.5],
      [90, 1],
    ];
    const one = latencyPicture({ half_rate_create_distribution_ms: points }, when);
    expect(one?.match(/<path /g)).toHaveLength(1);
    expect(one).toContain('milliseconds');
    expect(path(one, 0)).toMatch(/^M78 330L.* 196L.* 62$/);
  });

  it('draw nothing of nothing', () => {
    expect(ratePicture({ creates_per_s: 1 }, when)).toBeNull();
    expect(latencyPicture({ creates_per_s: 1 }, when)).toBeNull();
  });
});

describe('the marks of an axis', () => {
  it('are round, begin at 0 and reach the most', () => {
    expect(roundTicks(1900)).toEqual([0, 500, 1000, 1500, 2000]);
    expect(roundTicks(31)).toEqual([0, 10, 20, 30, 40]);
  });

  it('are as many on both sides', () => {
    expect(aligned([0, 10, 20], [0, 500, 1000, 1500])).toEqual([0, 10, 20, 30]);
    expect(aligned([0, 500, 1000, 1500], [0, 10, 20])).toEqual([0, 500, 1000, 1500]);
  });

  it('are 1, 2 and 5 of the powers of ten around the values', () => {
    expect(logTicks(12, 900)).toEqual([10, 20, 50, 100, 200, 500, 1000]);
    expect(logTicks(0.5, 2)).toEqual([0.5, 1, 2]);
  });
});
