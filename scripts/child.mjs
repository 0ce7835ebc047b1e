import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Node 24 from the npm package `node`: the machine's own Node only has to start this script. */
export const node24 = path.join(root, 'node_modules/node/bin/node');

/** A failure that is printed as one line, without a stack. */
export class UserError extends Error {}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

// A killed npm cannot forward a signal, and its task must not outlive it.
function onNpmExit(onExit) {
  const parent = process.ppid;
  if (!process.env.npm_lifecycle_event) return undefined;
  return setInterval(() => process.ppid !== parent && onExit(), 500).unref();
}

/**
 * Runs a command and returns its exit code (128 + n after a signal). Signals to this process are forwarded to the
 * child. `onOutput` receives stdout and stderr instead of the console.
 */
export function run(command, args, { env = {}, onOutput, tee, ipc = false } = {}) {
  const out = onOutput ? 'pipe' : 'inherit';
  const child = spawn(command, args, {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`,
      ...env,
    },
    stdio: ['inherit', tee ? 'pipe' : out, tee ? 'pipe' : out, ...(ipc ? ['ipc'] : [])],
  });
  const consume = (stream, target) => {
    stream?.on('data', (chunk) => {
      onOutput?.(String(chunk));
      if (tee) target.write(chunk);
    });
  };
  consume(child.stdout, process.stdout);
  consume(child.stderr, process.stderr);
  const forward = (signal) => child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  const watching = onNpmExit(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new UserError(`${command} could not be started: ${error.message}`)),
    );
    child.once('close', (code, signal) => {
      for (const name of forwarded) process.off(name, forward);
      clearInterval(watching);
      resolve(code ?? 128 + (signalNumbers[signal] ?? 1));
    });
  });
}

/** Runs a script of the tree, or a tool's JavaScript file, under Node 24. */
export function runNode(args, options) {
  return run(node24, args, options);
}

/** A TypeScript entry of the tree, which takes the arguments after the task's name. */
export function script(file, options) {
  return (args) => {
    if (!existsSync(path.join(root, file))) throw new UserError(`${file} is missing from this checkout.`);
    return runNode(['--disable-warning=ExperimentalWarning', file, ...args], options);
  };
}

/** Awaits the exit code of a command, and prints its output only if it fails. @throws UserError */
export async function successful(what, working) {
  let output = '';
  const code = await working((text) => void (output += text));
  if (code !== 0) throw new UserError(`${what} failed (exit code ${code}):\n${output}`);
}
