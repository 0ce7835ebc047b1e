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

/** @throws LaunchError with what keeps the servers that the environment names from being used, a line each */
export function checkGivenServers(env: NodeJS.ProcessEnv): void {
  const problems = Object.entries(given).flatMap(([name, problemsOf]) =>
    env[name] ? problemsOf(env[name]).map((problem) => `${name}: ${problem}`) : [],
  );
  if (problems.length > 0) throw new LaunchError(problems.join('\n'));
}

// A server that the environment of `npm start` names is somebody else's: used, not ended.
const foreign = (url: string): KeptServer => ({ url, pid: () => 0, stop: async () => {} });

async function orClearLine(starting: Promise<KeptServer>): Promise<KeptServer> {
  try {
    return await starting;
  } catch (error) {
    throw new LaunchError(error instanceof Error ? error.message : String(error));
  }
}

/** Postgres on `<data>/postgres`, or the one that `givenUrl` names. Throws LaunchError with the server's reason. */
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

/** Redis on `<data>/redis`, or the one that `givenUrl` names. Throws LaunchError with the server's reason. */
export function keepRedis(data: string, givenUrl: string | undefined, watcher: Watcher): Promise<KeptServer> {
  if (givenUrl) return Promise.resolve(foreign(givenUrl));
  // The same after a restart, for the services keep the URL that they were started with.
  const password = randomBytes(24).toString('hex');
  const startOn = async (port?: number) =>
    await startRedis({ dir: join(data, 'redis'), port: port ?? (await servicePort()), password });
  return orClearLine(keepServer('Redis', startOn, watcher));
}
