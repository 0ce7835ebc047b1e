import { resolve } from 'node:path';
import { type Ended, runCommand } from '@holdfast/testkit/command';

const root = resolve(import.meta.dirname, '../../../..');

/** An environment in which nothing names a database; `HOLDFAST_HOME` is a folder that is not there. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, NODE_OPTIONS: _options, ...env } = process.env;
  return { ...env, HOLDFAST_HOME: '/nonexistent' };
}

/** Runs `holdfast` in a process of its own, which `signal` ends. */
export function holdfast(args: string[], env: NodeJS.ProcessEnv = {}, signal?: AbortSignal): Promise<Ended> {
  const main = ['--disable-warning=ExperimentalWarning', 'packages/cli/src/main.ts'];
  return runCommand(process.execPath, [...main, ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
    signal,
  });
}

/** Runs it in a pipe: `holdfast ${rest}`; answers the exit code of the first command that fails. */
export function holdfastInShell(rest: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const script = `set -o pipefail; "$0" --disable-warning=ExperimentalWarning packages/cli/src/main.ts ${rest}`;
  return runCommand('bash', ['-c', script, process.execPath], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
  });
}

/** As `npm run holdfast -- ...` does. */
export function npmRunHoldfast(args: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return runCommand(process.execPath, ['scripts/run.mjs', 'holdfast', ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
  });
}
