import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findCommand, installPackage } from './process/debianPackage.ts';
import { claimFolder, type Ending, endOrphan, endProcess } from './process/processes.ts';
import { freePort, type RunningServer, requireFree, startServer } from './process/server.ts';

export type RedisOptions = {
  dir: string;
  port?: number;
  /** Default: a new one. Connected clients need the same after a restart. */
  password?: string;
  isDurable?: boolean;
  /** Where Redis is missing, its package is installed as root on Debian, after a line that says so. Null: never. */
  onInstall?: ((line: string) => void) | null;
};

/** Installs Redis first where it may and can. Rejects with one clear line when it can't start. */
export async function startRedis(options: RedisOptions): Promise<RunningServer> {
  const { dir, isDurable = true, onInstall } = options;
  if (options.port !== undefined) await requireFree(options.port);
  const command = await redisCommand(onInstall);
  const claim = claimFolder(dir);
  try {
    chmodSync(dir, 0o700);
    const folder = realpathSync(dir);
    await endRedisOrphan(folder);
    const port = options.port ?? (await freePort());
    const password = options.password ?? randomBytes(24).toString('hex');
    const child = await startServer({
      name: `Redis on ${folder}`,
      command,
      args: ['-'],
      stdin: settings(folder, port, password, isDurable),
      ready: /Ready to accept connections/,
      timeoutMs: 60_000,
    });
    const exited = once(child, 'exit').then(() => claim.release());
    const stop = async () => {
      await endProcess(child.pid, redisEnding);
      await exited;
    };
    return { url: redisUrl(password, port), port, pid: child.pid, exited, stop };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** redis-cli accepts no URL without a user name. */
export const redisUrl = (password: string, port: number) => `redis://default:${password}@127.0.0.1:${port}`;

function settings(folder: string, port: number, password: string, isDurable: boolean): string {
  const lines = [
    `dir "${folder}"`,
    `pidfile "${folder}/redis.pid"`,
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    // BullMQ's keys must never be evicted.
    'maxmemory-policy noeviction',
    'databases 64',
    'save ""',
    `appendonly ${isDurable ? 'yes' : 'no'}`,
    'daemonize no',
  ];
  return `${lines.join('\n')}\n`;
}

const redisEnding: Ending = [
  ['SIGTERM', 8_000],
  ['SIGKILL', 2_000],
];

/** Ends a killed parent's Redis: two would corrupt the append-only file. */
export async function endRedisOrphan(folder: string): Promise<void> {
  await endOrphan(join(folder, 'redis.pid'), folder, redisEnding);
}

const commandFolders = ['/usr/bin', '/usr/local/bin', '/usr/sbin'];

/** Installs a missing package as root on Debian; elsewhere, and with null, rejects with what to install. */
export async function redisCommand(
  onInstall: ((line: string) => void) | null = () => {},
  path: string = commandFolders.join(delimiter),
): Promise<string> {
  const present = findCommand('redis-server', path);
  if (present) return present;
  if (onInstall === null || process.getuid?.() !== 0 || !findCommand('apt-get', path)) {
    throw new Error(
      'Redis is missing: install redis-server (Debian, Ubuntu: sudo apt-get install redis-server), or set REDIS_URL.',
    );
  }
  onInstall(
    'Redis is missing: its Debian package redis-server is installed as root (start with --no-install to refuse)',
  );
  await installPackage('redis-server').catch((error: Error) => {
    const reason = `Redis is missing, and apt-get can't install redis-server: ${error.message}`;
    throw new Error(reason, { cause: error });
  });
  const installed = findCommand('redis-server', path);
  if (!installed) throw new Error('Redis is missing: apt-get installed redis-server, but it was not found.');
  return installed;
}
