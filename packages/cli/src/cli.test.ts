import { describe, expect, it } from '@jest/globals';
import { commands } from './commands.ts';
import { holdfast } from './testing/holdfast.ts';

describe('holdfast', () => {
  it('--help shows every command, and that of a command how it is called', async () => {
    const all = await holdfast(['--help']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    for (const { about, usage } of commands) {
      for (const line of [...about.split('\n'), ...usage.split('\n')]) expect(all.stdout).toContain(line);
    }
    const one = await holdfast(['ledger', 'audit', '-h']);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(one.stdout).toContain('holdfast ledger audit [--json]');
    expect(one.stdout).not.toContain('partitions');
  });

  it('asked for nothing says how it is used', async () => {
    const { code, stdout, stderr } = await holdfast([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: holdfast <command>');
  });

  it.each([
    [['ledger', 'audti'], 'there is no command "ledger audti"'],
    [['ledger'], 'there is no command "ledger"'],
    [['ledger', 'audit', '--fast'], "Unknown option '--fast'"],
    [['ledger', 'audit', 'all'], "Unexpected argument 'all'"],
    [['partitions', 'mend'], 'holdfast partitions takes list, make or drop'],
    [['ledger', 'audit', '--database-url'], '--database-url'],
    [['ledger', 'audit', '--database-url', 'localhost:5432'], '--database-url: is no URL'],
    [['ledger', 'audit', '--database-url', 'postgres://u:%zz@127.0.0.1:1/db'], '--database-url: is no URL'],
    [
      ['ledger', 'audit', '--database-url', 'postgres://h/db?sslrootcert=/no/ca.pem'],
      "sslrootcert /no/ca.pem can't be read",
    ],
    [['partitions', 'make', '--months', '-1'], 'a value that begins with a dash is given as --months=-'],
  ])('%j is told in one line that hints at --help', async (args, reason) => {
    const { code, stdout, stderr } = await holdfast(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^holdfast: [^\n]+See holdfast --help\.\n$/);
    expect(stderr).toContain(reason);
  });
});
