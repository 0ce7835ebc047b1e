import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseUrlProblems } from '@holdfast/kit/databaseAddress';
import { redisUrlProblems } from '@holdfast/kit/redisAddress';
import { startPostgres } from '../postgres.ts';
import { startRedis } from '../redis.ts';
import type { Watcher } from '../supervisor/supervise.ts';
import { type KeptServer, keepServer } from './keepServer.ts';
import { LaunchError } from './launchError.ts';
import { servicePort } from './ports.ts';

const given = { DATABASE_URL: databaseUrlProblems, REDIS_URL: redisUrlProblems };

/** @throws LaunchError with a line per unusable server in the environment */
export function checkGivenServers(env: NodeJS.ProcessEnv): void {
  const problems = Object.entries(given).flatMap(([name, problemsOf]) =>
    env[name] ? problemsOf(env[name]).map((problem) => `${name}: ${problem}`) : [],
  );
  if (problems.length > 0) throw new LaunchError(problems.join('\n'));
}

// A server from the environment is used, never stopped.
const foreign = (url: string): KeptServer => ({ url, pid: () => 0, stop: async () => {} });

async function orClearLine(starting: Promise<KeptServer>): Promise<KeptServer> {
  try {
    return await starting;
  } catch (error) {
    throw new LaunchError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws LaunchError with the server's reason */
export function keepPostgres(
  data: string,
  givenUrl: string | undefined,
  watcher: Watcher,
  settings: Record<string, string>,
): Promise<KeptServer> {
  if (givenUrl) return Promise.resolve(foreign(givenUrl));
  const dataDir = join(data, 'postgres');
  const startOn = async (port?: number) =>
    await startPostgres({ dataDir, port: port ?? (await servicePort()), settings });
  return orClearLine(keepServer('PostgreSQL', startOn, watcher));
}

/** @throws LaunchError with the server's reason */
export function keepRedis(data: string, givenUrl: string | undefined, watcher: Watcher): Promise<KeptServer> {
  if (givenUrl) return Promise.resolve(foreign(givenUrl));
  // The same after a restart, because running services keep their URL.
  const password = randomBytes(24).toString('hex');
  const startOn = async (port?: number) =>
    await startRedis({ dir: join(data, 'redis'), port: port ?? (await servicePort()), password });
  return orClearLine(keepServer('Redis', startOn, watcher));
}
