import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const folders = ['/usr/bin', '/usr/local/bin', '/usr/sbin'];

/**
 * The path of `redis-server`. Where it is missing and we are root on a Debian, its package is installed.
 * Otherwise rejects with the line that says what to install.
 */
export async function redisCommand(
  onLog?: (line: string) => void,
  path: string = folders.join(delimiter),
): Promise<string> {
  const present = find('redis-server', path);
  if (present) return present;
  if (process.getuid?.() !== 0 || !find('apt-get', path)) {
    throw new Error(
      'Redis is missing: install redis-server (Debian, Ubuntu: sudo apt-get install redis-server).',
    );
  }
  onLog?.('installing redis-server from the distribution');
  await install();
  const installed = find('redis-server', path);
  if (!installed)
    throw new Error('Redis is missing: apt-get installed redis-server, but it is not to be found.');
  return installed;
}

function find(command: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
}

async function install(): Promise<void> {
  const args = [
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=120',
    'redis-server',
  ];
  const allowServices = forbidServices();
  try {
    await aptGet(args).catch(async () => {
      await aptGet(['update', '-qq']);
      await aptGet(args);
    });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = stderr?.trim().split('\n').at(-1) || message;
    throw new Error(`Redis is missing, and apt-get can't install redis-server: ${reason}`, { cause: error });
  } finally {
    allowServices();
  }
}

function aptGet(args: string[]): Promise<unknown> {
  const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
  return run('apt-get', args, { env: { ...process.env, PATH, DEBIAN_FRONTEND: 'noninteractive' } });
}

// Debian starts a server that it installs, unless this script (its exit code 101) forbids it.
function forbidServices(): () => void {
  const script = '/usr/sbin/policy-rc.d';
  try {
    writeFileSync(script, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  } catch {
    return () => {};
  }
  return () => rmSync(script, { force: true });
}
