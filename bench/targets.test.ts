import { describe, expect, it } from '@jest/globals';
import { judge } from './targets.ts';

const verdictOf = (figures: Record<string, number>) => judge(figures).map(({ verdict }) => verdict);

describe('the targets', () => {
  it('judge rates by the ratio of one run', () => {
    expect(verdictOf({ hot_row_tps: 1000, creates_per_s: 1599 })).toEqual(['missed']);
    expect(verdictOf({ hot_row_tps: 1000, creates_per_s: 1600 })).toEqual(['met']);
    expect(verdictOf({ hot_row_tps: 1000, creates_per_s: 2200 })).toEqual(['aim met']);
  });

  it('judge durations by their upper bounds', () => {
    expect(verdictOf({ half_rate_create_p99_ms: 31 })).toEqual(['missed']);
    expect(verdictOf({ half_rate_create_p99_ms: 30 })).toEqual(['met']);
    expect(verdictOf({ half_rate_create_p99_ms: 15 })).toEqual(['aim met']);
  });

  it('judge a database that has grown beside the hot row of its own minute', () => {
    const empty = { empty_hot_row_tps: 1000, empty_creates_per_s: 2000 };
    const figures = { ...empty, grown_hot_row_tps: 500, grown_creates_per_s: 900 };
    expect(judge(figures)).toMatchObject([{ measured: 0.9, verdict: 'met' }]);
  });

  it('do not judge figures that were not measured', () => {
    expect(judge({ creates_per_s: 100 })).toEqual([]);
  });
});
