import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
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

// Without recommended packages and with RUNLEVEL=1, for which invoke-rc.d starts no service of its own.
async function install(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const args = [
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=120',
    'redis-server',
  ];
  try {
    await run('apt-get', args, { env });
  } catch {
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', args, { env }).catch((error: Error & { stderr?: string }) => {
      const lastLine = error.stderr?.trim().split('\n').at(-1);
      throw new Error(
        `Redis is missing, and apt-get can't install redis-server: ${lastLine || error.message}`,
      );
    });
  }
}
