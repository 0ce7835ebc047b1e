import { describe, expect, it } from '@jest/globals';
import { daysOf, periodOf, usageSearchOf } from './usagePeriod.ts';

const newYear = Date.parse('2026-01-01T10:00:00Z');

describe('the period of usage', () => {
  it.each([
    ['month', { from: '2026-01-01' }],
    ['last_month', { from: '2025-12-01', to: '2026-01-01' }],
    ['7d', { from: '2025-12-26' }],
    ['30d', { from: '2025-12-03' }],
  ] as const)('of %s is of whole days', (range, period) => {
    expect(periodOf(range, newYear)).toEqual(period);
  });

  it('has every day, the last one in part', () => {
    const days = daysOf({ from: '2025-12-30T00:00:00.000Z', to: '2026-01-01T10:00:00.000Z' });
    expect(days).toEqual(['2025-12-30', '2025-12-31', '2026-01-01']);
  });

  it('is chosen in the address, where what does not exist is left out', () => {
    const known = { range: '7d', by: 'metadata', key: 'team' };
    expect(usageSearchOf(known)).toEqual(known);
    expect(usageSearchOf({ range: 'ever', by: 'day', key: 7 })).toEqual({});
  });
});
