import { describe, expect, it } from '@jest/globals';
import { parseFlags } from './flags.ts';

describe('the flags of npm start', () => {
  it('have defaults', () => {
    expect(parseFlags([], {})).toEqual({
      port: 8080,
      ephemeral: false,
      noInstall: false,
      quiet: false,
      help: false,
    });
  });

  it('take the port from --port, or else from PORT', () => {
    expect(parseFlags(['--port', '9000'], { PORT: '9001' }).port).toBe(9000);
    expect(parseFlags(['--port=9000', '--ephemeral'], {})).toEqual({
      port: 9000,
      ephemeral: true,
      noInstall: false,
      quiet: false,
      help: false,
    });
    expect(parseFlags([], { PORT: '9001' }).port).toBe(9001);
  });

  it('install nothing with --no-install, and print no activity with --quiet', () => {
    expect(parseFlags(['--no-install', '--quiet'], {})).toMatchObject({ noInstall: true, quiet: true });
  });

  it.each(['0', '65536', 'abc', '80.5', ''])('refuse the port "%s" in one line', (port) => {
    expect(() => parseFlags([`--port=${port}`], {})).toThrow(/^".*" is not a port/);
  });

  it.each([['--prot', '1'], ['extra'], ['--port']])('refuse %s and mention --help', (...args) => {
    expect(() => parseFlags(args, {})).toThrow(/--help\.$/);
  });
});
