import { describe, expect, it } from '@jest/globals';
import { monthsUntil, sumsOf } from './monthlyStatement.ts';

type Credits = Parameters<typeof sumsOf>[0]['credits'];

describe('the statement of a month', () => {
  it('charges what the journal says, and names what its models do not explain', () => {
    const credits = ['5.00', '-0.50'].map((available_change) => ({ available_change })) as Credits;
    const sums = sumsOf({ opening: '1.00', closing: '4.29999999', credits, used: '1.00' });
    expect(sums).toMatchObject({ charged: '1.20000001', elsewhere: '0.20000001' });
    expect(sumsOf({ opening: '1.00', closing: '0.00', credits: [], used: '1.00' }).elsewhere).toBe('0.00');
  });

  it('is there for a year, across the new year', () => {
    const months = monthsUntil('2026-02-28T10:00:00.000Z');
    expect([months.length, ...months.slice(0, 3), months.at(-1)]).toEqual([
      12,
      '2026-02',
      '2026-01',
      '2025-12',
      '2025-03',
    ]);
  });
});
