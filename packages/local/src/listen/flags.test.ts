import { describe, expect, it } from '@jest/globals';
import { parseListenFlags } from './flags.ts';

describe('the flags of npm run webhooks:listen', () => {
  it('have defaults', () => {
    expect(parseListenFlags([])).toEqual({
      events: ['execution.*', 'endpoint.*'],
      verbose: false,
      failWith: null,
      slowMs: 0,
      forwardTo: null,
      help: false,
    });
  });

  it('are all read', () => {
    const flags = parseListenFlags([
      '--events=execution.failed, endpoint.*',
      '-v',
      '--fail',
      '410',
      '--slow',
      '0.5',
    ]);
    expect(flags).toMatchObject({
      events: ['execution.failed', 'endpoint.*'],
      verbose: true,
      failWith: 410,
      slowMs: 500,
    });
    expect(parseListenFlags(['--forward', 'http://localhost:3000/a?b=c']).forwardTo?.href).toBe(
      'http://localhost:3000/a?b=c',
    );
  });

  it.each([
    [['--fail', '200'], /^"200" is not a failing status/],
    [['--slow', '-1'], /--help\.$/],
    [['--slow', 'long'], /^"long" is not a time/],
    [['--forward', 'https://example.com/'], /is not a URL of this machine/],
    [['--forward', 'http://127.0.0.1.example.com/'], /is not a URL of this machine/],
    [['--forward', 'file:///etc/passwd'], /is not a URL of this machine/],
    [['--forward', 'http://localhost:3000', '--fail', '500'], /cannot be combined/],
    [['--evnets', 'x'], /--help\.$/],
    [['now'], /--help\.$/],
  ])('refuse %j in one line', (args, reason) => {
    expect(() => parseListenFlags(args)).toThrow(reason);
  });
});
