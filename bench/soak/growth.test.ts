import { describe, expect, it } from '@jest/globals';
import { seededRandom } from './faultPlan.ts';
import { fitLine, growths, handlesKept, judgeGrowth, slackOf } from './growth.ts';
import { isOk, minuteLine } from './report.ts';

const xs = Array.from({ length: 20 }, (_, nth) => nth * 1000);
const points = (value: (x: number) => number) => xs.map((x) => ({ x, y: value(x) }));

describe('the linear fit', () => {
  it('goes through points on a line', () => {
    const line = fitLine(points((x) => 3 + 0.5 * x));
    expect(line?.slope).toBeCloseTo(0.5, 9);
    expect(line?.standardError).toBeCloseTo(0, 6);
  });

  it('has the slope of the textbook example', () => {
    const line = fitLine([
      { x: 1, y: 2 },
      { x: 2, y: 3 },
      { x: 3, y: 5 },
      { x: 4, y: 4 },
    ]);
    expect(line?.slope).toBeCloseTo(0.8, 9);
    expect(line?.standardError).toBeCloseTo(Math.sqrt(1.8 / 2 / 5), 9);
  });

  it('does not exist for two points, or for points at one x', () => {
    expect(fitLine(points(() => 1).slice(0, 2))).toBeNull();
    expect(fitLine(Array.from({ length: 5 }, (_, y) => ({ x: 1, y })))).toBeNull();
  });
});

describe('the verdict', () => {
  it('contains the growth per million executions', () => {
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

  it('accepts growth by design', () => {
    expect(
      judgeGrowth(
        'rows',
        points((x) => x),
        null,
      ).verdict,
    ).toBe('by design');
  });

  it('is steady for a rise within the slack, or within a fifth of the mean', () => {
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

  it('is steady for variation without a trend, and for a series that shrinks', () => {
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

  it('finds growth in spite of variation', () => {
    const random = seededRandom(3);
    expect(
      judgeGrowth(
        'rss',
        points((x) => 100 + x / 20 + 200 * random()),
        10,
      ).verdict,
    ).toBe('GROWS');
  });

  it('needs more than a handful of samples', () => {
    expect(judgeGrowth('rss', points((x) => x).slice(0, 5), 10).verdict).toBe('too few samples');
  });
});

const samples = Array.from({ length: 12 }, (_, minute) => ({
  atS: minute * 60,
  executions: minute * 10_000,
  values: {
    'ledger rss bytes': (minute < 3 ? 10 : 300) * 2 ** 20,
    'redis keys': minute * 1000,
    'ledger handles': minute * 100,
    'table executions rows': minute * 10_000,
  },
}));

describe('the series', () => {
  it.each([
    'dispatcher rss bytes',
    'redis keys',
    'redis memory bytes',
    'pending deliveries',
    'table balances bytes',
    'index executions_pending bytes',
    'index events_to_fan_out bytes',
    'index executions_open_expiry bytes',
  ])('%s should not grow', (name) => {
    expect(slackOf(name)).not.toBeNull();
  });

  it.each(['table executions rows', 'table events bytes', 'index executions_pkey bytes', 'files on disk'])(
    '%s grows by design',
    (name) => {
      expect(slackOf(name)).toBeNull();
    },
  );

  it('are judged by the samples after the warm-up', () => {
    const verdicts = Object.fromEntries(growths(samples, 180).map(({ name, verdict }) => [name, verdict]));
    expect(verdicts).toEqual({
      'ledger rss bytes': 'steady',
      'redis keys': 'GROWS',
      'table executions rows': 'by design',
    });
  });

  it('of handles are judged at rest, because under load they are connections', () => {
    const before = { 'ledger handles': 20, 'dispatcher handles': 20, 'ledger rss bytes': 1 };
    const after = { 'ledger handles': 40, 'dispatcher handles': 120, 'ledger rss bytes': 9 };
    expect(handlesKept(before, after, 1_000_000)).toMatchObject([
      { name: 'ledger handles at rest', first: 20, last: 40, perMillion: 20, verdict: 'steady' },
      { name: 'dispatcher handles at rest', perMillion: 100, verdict: 'GROWS' },
    ]);
  });

  it('fail the run when one grows that should not, as problems do', () => {
    const growing = growths(samples, 180);
    const fine = growing.filter(({ verdict }) => verdict !== 'GROWS');
    expect(isOk({ problem_count: 0, growth: fine })).toBe(true);
    expect(isOk({ problem_count: 0, growth: growing })).toBe(false);
    expect(isOk({ problem_count: 1, growth: fine })).toBe(false);
  });

  it('are summarized on one line', () => {
    expect(minuteLine(samples[5] as (typeof samples)[number])).toMatch(
      /^5 min, 50000 executions, .*rss 300 MiB.*5000 keys/,
    );
  });
});
