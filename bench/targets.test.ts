import { describe, expect, it } from '@jest/globals';
import { judge } from './targets.ts';

const verdictOf = (figures: Record<string, number>) =>
  judge(figures).map(({ name, verdict }) => [name, verdict]);

describe('the targets', () => {
  it('judge rates by the ratio of one run', () => {
    expect(verdictOf({ hot_row_tps: 1000, creates_per_s: 1199 })).toEqual([['creates', 'missed']]);
    expect(verdictOf({ hot_row_tps: 1000, creates_per_s: 1200 })).toEqual([['creates', 'met']]);
    expect(verdictOf({ hot_row_tps: 1000, creates_per_s: 2000 })).toEqual([['creates', 'aim met']]);
  });

  it('judge durations the other way round', () => {
    expect(verdictOf({ half_rate_create_p99_ms: 41 })).toEqual([['half rate', 'missed']]);
    expect(verdictOf({ half_rate_create_p99_ms: 40 })).toEqual([['half rate', 'met']]);
    expect(verdictOf({ half_rate_create_p99_ms: 20 })).toEqual([['half rate', 'aim met']]);
  });

  it('say nothing of what was not measured', () => {
    expect(judge({ creates_per_s: 100 })).toEqual([]);
  });
});
