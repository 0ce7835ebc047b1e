import { describe, expect, it } from '@jest/globals';
import { isWell, minuteLine } from './report.ts';
import { growths, handlesKept, slackOf } from './series.ts';

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

  it('are judged by what came after the warm-up', () => {
    const verdicts = Object.fromEntries(growths(samples, 180).map(({ name, verdict }) => [name, verdict]));
    expect(verdicts).toEqual({
      'ledger rss bytes': 'steady',
      'redis keys': 'GROWS',
      'table executions rows': 'by design',
    });
  });

  it('of handles are judged at rest, for under load they are connections', () => {
    const before = { 'ledger handles': 20, 'dispatcher handles': 20, 'ledger rss bytes': 1 };
    const after = { 'ledger handles': 40, 'dispatcher handles': 120, 'ledger rss bytes': 9 };
    expect(handlesKept(before, after, 1_000_000)).toMatchObject([
      { name: 'ledger handles at rest', first: 20, last: 40, perMillion: 20, verdict: 'steady' },
      { name: 'dispatcher handles at rest', perMillion: 100, verdict: 'GROWS' },
    ]);
  });

  it('of which one grows that should not make the run a failure, as troubles do', () => {
    const growing = growths(samples, 180);
    const fine = growing.filter(({ verdict }) => verdict !== 'GROWS');
    expect(isWell({ trouble_count: 0, growth: fine })).toBe(true);
    expect(isWell({ trouble_count: 0, growth: growing })).toBe(false);
    expect(isWell({ trouble_count: 1, growth: fine })).toBe(false);
  });

  it('are told of in a line', () => {
    expect(minuteLine(samples[5] as (typeof samples)[number])).toMatch(
      /^5 min, 50000 executions, .*rss 300 MiB.*5000 keys/,
    );
  });
});
