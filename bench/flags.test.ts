import { resolve } from 'node:path';
import { UsageError } from '@holdfast/kit/flags';
import { describe, expect, it } from '@jest/globals';
import { parseFlags, usage } from './flags.ts';

const parse = (...args: string[]) => parseFlags(args, ['quick', 'other', 'long'], ['quick', 'other']);

describe('the flags of the bench', () => {
  it('by default measure the parts that are not long, and keep the result', () => {
    expect(parse()).toMatchObject({
      only: ['quick', 'other'],
      clients: 128,
      executions: 15000,
      finished: 5_000_000,
      pending: 200_000,
      drainRate: 300,
      drainSeconds: 30,
      backlog: 20_000,
      write: true,
      cpuProfile: null,
      pgStat: false,
    });
  });

  it('select parts by name, the long ones too, in the order in which they run', () => {
    expect(parse('--only', 'long, quick').only).toEqual(['quick', 'long']);
  });

  it('take sizes and switches', () => {
    expect(parse('--seconds', '3', '--clients=7', '--no-write', '--pg-stat')).toMatchObject({
      seconds: 3,
      clients: 7,
      write: false,
      pgStat: true,
    });
    expect(parse('--cpu-prof', 'here').cpuProfile).toBe(resolve('here'));
  });

  it.each([
    [['--seconds', '0'], '--seconds needs a whole number of at least 1'],
    [['--clients', '1.5'], '--clients needs a whole number of at least 1'],
    [['--only', 'none'], 'There is no part "none". The parts are quick, other, long.'],
    [['--nothing'], "Unknown option '--nothing'"],
  ])('%j is refused with one line', (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(message);
  });

  it('are all in the usage', () => {
    const text = usage({ quick: 'what it is' });
    for (const flag of [
      'seconds',
      'clients',
      'executions',
      'finished',
      'pending',
      'drain-rate',
      'drain-seconds',
      'backlog',
      'only',
      'no-write',
      'cpu-prof',
      'pg-stat',
    ])
      expect(text).toContain(`--${flag} `);
    expect(text).toContain('quick');
  });
});
