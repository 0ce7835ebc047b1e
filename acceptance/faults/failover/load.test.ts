import { describe, expect, it } from '@jest/globals';
import { parseFlags } from './flags.ts';
import { longestGapS } from './load.ts';
import { report } from './report.ts';

describe('the longest time without accepts', () => {
  it('includes the time before the first accept and after the last', () => {
    expect(longestGapS([1000, 2000, 9000], 0, 10_000)).toBe(7);
    expect(longestGapS([8000, 9000], 0, 10_000)).toBe(8);
    expect(longestGapS([500], 0, 10_000)).toBe(9.5);
    expect(longestGapS([], 0, 10_000)).toBe(10);
  });
});

describe('the report of failovers', () => {
  const result = {
    executions: 9,
    perSecond: 3,
    events: 9,
    responses: new Map([[202, 9]]),
    lost: [],
    repeated: 0,
    notes: [],
    problems: [],
  };
  const rounds = [3, 9, 4].map((gapS) => ({
    fault: 'killed' as const,
    gapS,
    webhookS: gapS + 1,
    healS: 1,
    accepted: 3,
    lost: 0,
  }));

  it('shows p50 and worst of each fault', () => {
    expect(report({ ...result, rounds })).toMatch(
      /killed +p50 +4\.0 +worst +9\.0 +webhooks p50 +5\.0 +worst +10\.0 +healthy p50 +1\.0 +worst +1\.0 +\(3 rounds\)/,
    );
  });

  it('lists the problems', () => {
    expect(report({ ...result, rounds, problems: ['exec_1 is lost'] })).toMatch(
      /1 problems:\n {2}exec_1 is lost/,
    );
  });
});

describe('the flags of test:failover', () => {
  it('are 30 rounds of synchronous replication by default', () => {
    expect(parseFlags([])).toMatchObject({ rounds: 30, perSecond: 100, isSynchronous: true, only: null });
    expect(() => parseFlags(['--only', 'fire'])).toThrow('--only needs one of switchover, killed');
    expect(parseFlags(['--only', 'sentinel'])).toMatchObject({ rounds: 6, perSecond: 30 });
  });
});
