import { describe, expect, it } from '@jest/globals';
import { isWell, minuteLine } from './report.ts';
import { growths, slackOf } from './series.ts';

const samples = Array.from({ length: 12 }, (_, minute) => ({
  atS: minute * 60,
  executions: minute * 10_000,
  values: {
    'ledger rss bytes': (minute < 3 ? 10 : 300) * 2 ** 20,
    'redis keys': minute * 1000,
    'table executions rows': minute * 10_000,
  },
}));

describe('the series', () => {
  it.each([
    'dispatcher rss bytes',
    'postgres handles',
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
