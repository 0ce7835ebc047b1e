import { UsageError } from '@holdfast/kit/flags';
import { describe, expect, it } from '@jest/globals';
import { parseFlags, usage } from './flags.ts';

const parse = (...args: string[]) => parseFlags(args, () => 4711);

describe('the flags of the soak', () => {
  it('without any, it runs an hour at half of the top rate, with a new seed, and keeps the result', () => {
    expect(parse()).toEqual({
      help: false,
      minutes: 60,
      ratePerS: null,
      seed: 4711,
      clients: 64,
      json: false,
      write: true,
    });
  });

  it('take numbers and switches', () => {
    const flags = parse(
      '--minutes',
      '3',
      '--rate=200',
      '--seed',
      '9',
      '--clients',
      '8',
      '--json',
      '--no-write',
    );
    expect(flags).toMatchObject({
      minutes: 3,
      ratePerS: 200,
      seed: 9,
      clients: 8,
      json: true,
      write: false,
    });
  });

  it.each([
    [['--minutes', '0'], '--minutes needs a whole number of at least 1'],
    [['--seed', 'x'], '--seed needs a whole number of at least 1'],
    [['--nothing'], "Unknown option '--nothing'"],
  ])('%j is refused in a line', (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(message);
  });

  it('are all in the usage', () => {
    for (const flag of ['minutes', 'rate', 'seed', 'clients', 'json', 'no-write', 'help'])
      expect(usage).toContain(`--${flag} `);
  });
});
