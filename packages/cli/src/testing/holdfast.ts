import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type CommandResult, runCommand } from '@holdfast/testkit/command';
import { runCli } from '../cli.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** An environment that names no database and forces no colours; the folder `HOLDFAST_HOME` doesn't exist. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, NODE_OPTIONS: _options, ...inherited } = process.env;
  const env = Object.entries(inherited).filter(([name]) => !/^(?:NO|FORCE)_COLOR$/.test(name));
  return { ...Object.fromEntries(env), HOLDFAST_HOME: '/nonexistent' };
}

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs `holdfast` in this process, which saves a third of a second of a processor: for what a command says and does. Calls
 * wait for one another, because the environment is one.
 */
export function holdfastHere(args: string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const ended = previous.then(() => runHere(args, { ...bareEnvironment(), ...env }));
  previous = ended.catch(() => {});
  return ended;
}

async function runHere(args: string[], env: NodeJS.ProcessEnv): Promise<CommandResult> {
  const own = process.env;
  process.env = env;
  const said = { stdout: '', stderr: '' };
  const print = (text: string | Uint8Array) => void (said.stdout += Buffer.from(text).toString());
  try {
    const code = await runCli(args, {
      print: (line) => print(`${line}\n`),
      write: print,
      report: (line) => void (said.stderr += `${line}\n`),
      reportProgress: () => {},
      outputClosed: new AbortController().signal,
      width: null,
    });
    return { code, ...said };
  } finally {
    process.env = own;
  }
}

/** Runs `holdfast` in a process of its own, which `signal` ends. */
export function holdfast(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): Promise<CommandResult> {
  const main = ['--disable-warning=ExperimentalWarning', 'packages/cli/src/main.mjs'];
  return runCommand(process.execPath, [...main, ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
    signal,
  });
}

/** Runs it in a pipe: `holdfast ${rest}`; returns the exit code of the first command that fails. */
export function holdfastInShell(rest: string, env: NodeJS.ProcessEnv): Promise<CommandResult> {
  const script = `set -o pipefail; "$0" --disable-warning=ExperimentalWarning packages/cli/src/main.mjs ${rest}`;
  return runCommand('bash', ['-c', script, process.execPath], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
  });
}

/** As `npm run holdfast -- ...` does. */
export function npmRunHoldfast(args: string[], env: NodeJS.ProcessEnv): Promise<CommandResult> {
  return runCommand(process.execPath, ['scripts/run.mjs', 'holdfast', ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
  });
}

/** Starts it and lets it run: what it has said so far, and an end by SIGINT, which returns the exit code. */
export function startHoldfast(args: string[], env: NodeJS.ProcessEnv) {
  const main = ['--disable-warning=ExperimentalWarning', 'packages/cli/src/main.mjs'];
  const child = spawn(process.execPath, [...main, ...args], {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  return {
    said: () => said,
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT');
      const [code] = await ended;
      return code as number | null;
    },
  };
}
