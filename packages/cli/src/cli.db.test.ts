import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queueNames } from '@holdfast/queues/definitions';
import { testFolder } from '@holdfast/testkit/testFolder';
import { describe, expect, it } from '@jest/globals';
import { commands } from './commands.ts';
import { holdfast, holdfastHere, holdfastInShell } from './testing/holdfast.ts';

/** The dependencies that `holdfast` loads with these arguments, in order. */
async function dependenciesLoadedBy(args: string[]): Promise<string[]> {
  const list = join(testFolder('loaded'), 'list');
  const hook = `import { appendFileSync } from 'node:fs'; import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); } });`;
  await holdfast(args, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    DATABASE_URL: 'postgresql://user@127.0.0.1:1/holdfast',
    HOLDFAST_ADMIN_URL: 'http://127.0.0.1:1',
    ADMIN_TOKEN: 'a-token',
  });
  const urls = readFileSync(list, 'utf8').split('\n');
  return [...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))];
}

describe('holdfast', () => {
  it('shows every command with --help, and the usage of a command with its --help', async () => {
    const all = await holdfast(['--help']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    for (const { about, usage } of commands) {
      for (const line of [...about.split('\n'), ...usage.split('\n')]) expect(all.stdout).toContain(line);
    }
    const one = await holdfastHere(['ledger', 'audit', '-h']);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(one.stdout).toContain('holdfast ledger audit [--json]');
    expect(one.stdout).not.toContain('partitions');
  });

  it.each([['queues failed'], ['queues retry'], ['queues resume']])(
    'names every queue in the usage of %s',
    (name) => {
      const usage = commands.find((one) => one.name === name)?.usage;
      expect(usage).toContain(`<${queueNames.join('|')}>`);
    },
  );

  it.each([
    ['help', ['--help'], []],
    ['completion', ['completion', 'bash'], ['zod']],
    ['a command that speaks to the admin API', ['org', 'list'], ['zod']],
  ])('loads no more than needed for %s', async (_name, args, needed) => {
    expect(await dependenciesLoadedBy(args)).toEqual(needed);
  });

  it('loads no client of Redis, stores or providers for a command that reads only the database', async () => {
    const loaded = await dependenciesLoadedBy(['ledger', 'audit']);
    expect(loaded).toContain('pg');
    expect(loaded.filter((name) => /bullmq|redis|minio|aws|got|undici|ajv/.test(name))).toEqual([]);
  });

  it('prints its usage to stderr without a command', async () => {
    const { code, stdout, stderr } = await holdfast([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: holdfast <command>');
  });

  it('reports in one line that its output cannot be written, and exits with 4', async () => {
    expect(await holdfastInShell('--help > /dev/full', {})).toEqual({
      code: 4,
      stdout: '',
      stderr: 'holdfast: the output could not be written: ENOSPC: no space left on device, write\n',
    });
  });

  it('keeps its exit code when its messages cannot be written', async () => {
    expect((await holdfastInShell('foo 2> /dev/full', {})).code).toBe(2);
  });

  it('takes help as --help', async () => {
    const [word, flag] = [
      await holdfastHere(['help', 'org', 'list']),
      await holdfastHere(['org', 'list', '--help']),
    ];
    expect(word).toEqual(flag);
    expect(word).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    [['ledger', 'audti'], 'there is no command "ledger audti": did you mean holdfast ledger audit?'],
    [['ledger'], 'holdfast ledger needs one of audit. See holdfast ledger --help.'],
    [['orgs'], 'there is no command "orgs": did you mean holdfast org? org takes create, list, show, limit'],
    [['org', 'remove'], 'there is no command "org remove": org takes create'],
    [['execution', 'lsit', '--json'], 'did you mean holdfast executions list?'],
    [['dcotor', '--json'], 'did you mean holdfast doctor?'],
    [['queues', 'faild', 'settle'], 'did you mean holdfast queues failed?'],
    [['frobnicate'], 'there is no command "frobnicate". See holdfast --help.'],
    [
      ['ledger', 'audit', '--fast'],
      'there is no flag --fast of holdfast ledger audit. See holdfast ledger audit --help.',
    ],
    [
      ['executions', 'list', '--sinc', '2h'],
      'there is no flag --sinc of holdfast executions list: did you mean --since?',
    ],
    [['org', 'list', '--tets'], 'did you mean --test?'],
    [['org', 'list', '--admin-ulr', 'http://a'], 'did you mean --admin-url?'],
    [['ledger', 'audit', 'all'], "Unexpected argument 'all'"],
    [['partitions', 'mend'], 'holdfast partitions takes list, make or drop'],
    [['ledger', 'audit', '--database-url'], '--database-url'],
    [['ledger', 'audit', '--database-url', 'localhost:5432'], '--database-url: is not a URL'],
    [
      ['ledger', 'audit', '--database-url', 'postgres://u:%zz@127.0.0.1:1/db'],
      '--database-url: is not a URL',
    ],
    [
      ['ledger', 'audit', '--database-url', 'postgres://h/db?sslrootcert=/no/ca.pem'],
      "sslrootcert /no/ca.pem can't be read",
    ],
    [['partitions', 'make', '--months', '-1'], 'one that begins with a dash is given as --months=-'],
    [['topup', 'org_1', '5', '--reason'], '--reason needs a value'],
    [['executions', 'list', '--limit'], '--limit needs a value.'],
  ])('reports %j in one line that points to --help', async (args, reason) => {
    const { code, stdout, stderr } = await holdfast(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^holdfast: [^\n]+(\?|[^?]\.) See holdfast( [a-z -]+)? --help\.\n$/);
    expect(stderr).toContain(reason);
  });
});
