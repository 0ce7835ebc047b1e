import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type CommandOptions, runCommand } from '@holdfast/testkit/command';

/** Why a server can't be tested here. */
export class Skipped extends Error {}

const installWithinMs = 20 * 60_000;
const leastPython = [3, 10] as const;

const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'providers');

/**
 * The folder of a virtual environment with these requirements, made at first use and kept. One that was not finished is
 * made anew. Throws Skipped where it can't be made.
 */
export async function pythonEnvironment(
  name: string,
  requirements: string[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const options = { env: process.env, signal };
  const version = await pythonVersion(options);
  const digest = createHash('sha256')
    .update(JSON.stringify([version, requirements]))
    .digest('hex');
  const folder = join(cache, `${name}-${digest.slice(0, 12)}`);
  const marker = join(folder, 'complete');
  if (existsSync(marker)) return folder;
  say(`${name}: installing ${requirements.join(' ')} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  await step('python3 -m venv', 'python3', ['-m', 'venv', folder], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements];
  await step('pip install', join(folder, 'bin/python'), pip, { ...options, timeoutMs: installWithinMs });
  writeFileSync(marker, `${requirements.join('\n')}\n`);
  return folder;
}

async function pythonVersion(options: CommandOptions): Promise<string> {
  const say = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
  const { code, stdout } = await runCommand('python3', ['-c', say], options).catch(() => ({
    code: 1,
    stdout: '',
  }));
  const version = stdout.trim();
  if (code !== 0) throw new Skipped('there is no python3');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = leastPython;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor))
    throw new Skipped(`python3 is ${version}; ${leastPython.join('.')} or newer is needed`);
  return version;
}

async function step(what: string, command: string, args: string[], options: CommandOptions): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, args, options);
  options.signal?.throwIfAborted();
  if (code === 0) return;
  const reason =
    (stderr || stdout)
      .trim()
      .split('\n')
      .findLast((line) => line.trim() !== '') ?? '';
  throw new Skipped(`${what} failed: ${reason.slice(0, 300)}`);
}
