import { describe, expect, it } from '@jest/globals';
import { fitLine, judgeGrowth } from './growth.ts';
import { seededRandom } from './random.ts';

const xs = Array.from({ length: 20 }, (_, nth) => nth * 1000);
const points = (value: (x: number) => number) => xs.map((x) => ({ x, y: value(x) }));

describe('the line of least squares', () => {
  it('goes through points that are on a line', () => {
    const line = fitLine(points((x) => 3 + 0.5 * x));
    expect(line?.slope).toBeCloseTo(0.5, 9);
    expect(line?.standardError).toBeCloseTo(0, 6);
  });

  it('is the textbook one through points that are not', () => {
    const line = fitLine([
      { x: 1, y: 2 },
      { x: 2, y: 3 },
      { x: 3, y: 5 },
      { x: 4, y: 4 },
    ]);
    expect(line?.slope).toBeCloseTo(0.8, 9);
    expect(line?.standardError).toBeCloseTo(Math.sqrt(1.8 / 2 / 5), 9);
  });

  it('is not drawn through two points, nor through points at one x', () => {
    expect(fitLine(points(() => 1).slice(0, 2))).toBeNull();
    expect(fitLine(Array.from({ length: 5 }, (_, y) => ({ x: 1, y })))).toBeNull();
  });
});

describe('the verdict', () => {
  it('tells growth per million executions', () => {
    expect(
      judgeGrowth(
        'keys',
        points((x) => 100 + x / 10),
        50,
      ),
    ).toMatchObject({
      first: 100,
      last: 2000,
      verdict: 'GROWS',
    });
    expect(
      judgeGrowth(
        'keys',
        points((x) => 100 + x / 10),
        50,
      ).perMillion,
    ).toBeCloseTo(100_000, 3);
  });

  it('lets what grows by design grow', () => {
    expect(
      judgeGrowth(
        'rows',
        points((x) => x),
        null,
      ).verdict,
    ).toBe('by design');
  });

  it('is steady about a rise within the slack, or within a fifth of the mean', () => {
    expect(
      judgeGrowth(
        'keys',
        points((x) => x / 1000),
        50,
      ).verdict,
    ).toBe('steady');
    expect(
      judgeGrowth(
        'keys',
        points((x) => 10_000 + x / 50),
        50,
      ).verdict,
    ).toBe('steady');
  });

  it('is steady about ups and downs, and about what shrinks', () => {
    const random = seededRandom(3);
    expect(
      judgeGrowth(
        'rss',
        points(() => 100 + 200 * random()),
        10,
      ).verdict,
    ).toBe('steady');
    expect(
      judgeGrowth(
        'rss',
        points((x) => 100_000 - x),
        10,
      ).verdict,
    ).toBe('steady');
  });

  it('sees growth through ups and downs', () => {
    const random = seededRandom(3);
    expect(
      judgeGrowth(
        'rss',
        points((x) => 100 + x / 20 + 200 * random()),
        10,
      ).verdict,
    ).toBe('GROWS');
  });

  it('says nothing about a handful of samples', () => {
    expect(judgeGrowth('rss', points((x) => x).slice(0, 5), 10).verdict).toBe('too few samples');
  });
});
