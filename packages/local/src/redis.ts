import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { claimFolder } from './process/claimFolder.ts';
import { endProcess } from './process/endProcess.ts';
import { freePort, requireFree } from './process/freePort.ts';
import type { RunningServer } from './process/runningServer.ts';
import { startServer } from './process/startServer.ts';
import { endRedisOrphan, redisEnding } from './redis/endOrphan.ts';
import { redisCommand } from './redis/redisCommand.ts';

export type RedisOptions = {
  dir: string;
  port?: number;
  /** Default: a new one. Connected clients need the same after a restart. */
  password?: string;
  isDurable?: boolean;
  onLog?: (line: string) => void;
};

/** Installs Redis first where it can. Rejects with one clear line when it can't start. */
export async function startRedis(options: RedisOptions): Promise<RunningServer> {
  const { dir, isDurable = true, onLog } = options;
  if (options.port !== undefined) await requireFree(options.port);
  const command = await redisCommand(onLog);
  const claim = claimFolder(dir);
  try {
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
      onLog,
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
