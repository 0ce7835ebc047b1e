import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandResult, runCommand } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { commands } from '../commands.ts';
import { holdfast } from '../testing/holdfast.ts';
import { positionsOf } from './positions.ts';

type Shell = 'bash' | 'zsh' | 'fish';
const files = {} as Record<Shell, string>;

beforeAll(async () => {
  const folder = testFolder('completion');
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    files[shell] = join(folder, shell);
    const { stdout } = await holdfast(['completion', shell]);
    writeFileSync(files[shell], stdout);
  }
});

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `source "$0"; COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, stdout, stderr } = await runCommand('bash', ['-c', script, files.bash, ...words], {
    env: process.env,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

const common = ['--database-url', '--redis-url', '--admin-url', '--admin-token', '--help'];

describe('the completion of bash', () => {
  it('offers the first words of all commands, then the words of a group', async () => {
    const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
    expect(await offered('')).toEqual(firsts);
    expect(await offered('ex')).toEqual(['executions']);
    expect(await offered('executions', '')).toEqual([
      'list',
      'show',
      'tail',
      'cancel',
      'bulk-cancel',
      'bulk-rerun',
      'refund',
    ]);
    expect(await offered('partitions', 'd')).toEqual(['drop']);
  });

  it('offers the flags of a command, also after operands and values', async () => {
    expect(await offered('topup', 'org_1', '25', '--')).toEqual([
      '--reason',
      '--idempotency-key',
      '--json',
      ...common,
    ]);
    expect(await offered('org', 'limit', 'org_1', '--max-concurrency', '3', '--mon')).toEqual([
      '--monthly-spend',
    ]);
    expect(await offered('partitions', 'drop', '--o')).toEqual(['--older-than-days']);
  });

  it('offers the literal values of an operand or a flag, and nothing where any text is valid', async () => {
    expect(await offered('executions', 'list', '--status', 'C')).toEqual(['COMPLETED', 'CANCELLED']);
    expect(await offered('key', 'create', 'org_1', 'a', '--permissions', '')).toEqual(['full', 'execution']);
    expect(await offered('org', 'limit', 'org_1', '--max-concurrency', '')).toEqual(['none']);
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(await offered('queues', 'failed', 'se')).toEqual(['settle']);
    expect(await offered('executions', 'list', '--org', '')).toEqual([]);
  });
});

describe('the positions of the command line', () => {
  it('have every command and every flag of its usage', () => {
    const positions = positionsOf(commands);
    for (const { name, usage } of commands) {
      expect(positions.map(({ at }) => at)).toContain(name);
      const flags = positions.filter(({ at }) => at.startsWith(name)).flatMap((position) => position.flags);
      for (const [flag] of usage.matchAll(/--[a-z-]+/g)) expect(flags.map((one) => one.name)).toContain(flag);
    }
  });
});

const run = (shell: Shell, script: string): Promise<CommandResult> =>
  runCommand(shell, ['-c', script], { env: process.env });

/** Skips shells that this machine does not have. */
const itIn = (shell: Shell) => (spawnSync(shell, ['-c', 'true']).status === 0 ? it : it.skip);

describe('the completion of other shells', () => {
  itIn('zsh')('is right for zsh, where it is installed', async () => {
    const script = `compdef() { :; }; compadd() { shift; print -rl -- "$@"; }; source ${files.zsh}
      words=(holdfast executions list --status ''); CURRENT=5; _holdfast
      words=(holdfast org ''); CURRENT=3; _holdfast`;
    const { stderr, stdout } = await run('zsh', script);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^PENDING\n[^]+\nEXPIRED\ncreate\nlist\nshow\nlimit\n/);
  });

  itIn('fish')('is right for fish, where it is installed', async () => {
    const script = `source ${files.fish}; complete -C 'holdfast executions list --status '
      complete -C 'holdfast org '`;
    const { stderr, stdout } = await run('fish', script);
    expect(stderr).toBe('');
    for (const word of ['PENDING', 'EXPIRED', 'create', 'limit']) expect(stdout.split('\n')).toContain(word);
    expect(stdout).not.toContain('topup');
  });
});
