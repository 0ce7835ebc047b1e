import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseUrlProblems } from '@holdfast/kit/databaseAddress';
import { redisUrlProblems } from '@holdfast/kit/redisAddress';
import { backoff, retry } from '@holdfast/kit/retry';
import { reasonOf } from '@holdfast/kit/within';
import { owner } from '../postgres/dataFolder.ts';
import { startPostgres } from '../postgres.ts';
import type { RunningServer } from '../process/server.ts';
import { redisUrl, startRedis } from '../redis.ts';
import type { Watcher } from '../supervisor/supervise.ts';
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
    throw new LaunchError(reasonOf(error));
  }
}

/** Chosen before the servers start, so that services can already load with their addresses. */
export type ServerAddresses = {
  postgresPort: number;
  redisPort: number;
  redisPassword: string;
  /** Without a login: each service has its own. */
  databaseUrl: string;
  redisUrl: string;
};

export async function chosenServers(env: NodeJS.ProcessEnv): Promise<ServerAddresses> {
  const [postgresPort, redisPort] = [await servicePort(), await servicePort()];
  const redisPassword = randomBytes(24).toString('hex');
  return {
    postgresPort,
    redisPort,
    redisPassword,
    databaseUrl: env['DATABASE_URL'] || `postgresql://127.0.0.1:${postgresPort}/${owner}`,
    redisUrl: env['REDIS_URL'] || redisUrl(redisPassword, redisPort),
  };
}

/** @throws LaunchError with the server's reason */
export function keepPostgres(
  data: string,
  givenUrl: string | undefined,
  { postgresPort }: ServerAddresses,
  watcher: Watcher,
  settings: Record<string, string>,
): Promise<KeptServer> {
  if (givenUrl) return Promise.resolve(foreign(givenUrl));
  const dataDir = join(data, 'postgres');
  const startOn = (port = postgresPort) => startPostgres({ dataDir, port, settings });
  return orClearLine(keepServer('PostgreSQL', startOn, watcher));
}

/** @throws LaunchError with the server's reason */
export function keepRedis(
  data: string,
  givenUrl: string | undefined,
  { redisPort, redisPassword: password }: ServerAddresses,
  watcher: Watcher,
  mayInstall: boolean,
): Promise<KeptServer> {
  if (givenUrl) return Promise.resolve(foreign(givenUrl));
  const onInstall = mayInstall ? watcher.say : null;
  const startOn = (port = redisPort) => startRedis({ dir: join(data, 'redis'), port, password, onInstall });
  return orClearLine(keepServer('Redis', startOn, watcher));
}

export type KeptServer = { url: string; pid: () => number; stop: () => Promise<void> };

const retryAfterMs = 500;

async function keepServer(
  name: string,
  startOn: (port?: number) => Promise<RunningServer>,
  { say, onPid }: Watcher,
): Promise<KeptServer> {
  const stopping = new AbortController();
  let server = await startOn();
  const { url, port } = server;
  const stopped = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve());
  });

  const restart = async () => {
    const start = async () => {
      server = await startOn(port);
      say(`${name} runs again.`);
      onPid();
    };
    // No limit: only stopping makes it throw.
    await retry(start, {
      delaysMs: backoff(retryAfterMs, retryAfterMs),
      signal: stopping.signal,
      onFailure: (error) => say(`${name} can't be started: ${reasonOf(error)}`),
    }).catch(() => undefined);
  };

  const live = async () => {
    while (!stopping.signal.aborted) {
      await Promise.race([server.exited, stopped]);
      if (stopping.signal.aborted) return;
      say(`${name} has died; starting it again on the same port.`);
      await restart();
    }
  };
  const living = live();

  return {
    url,
    pid: () => server.pid,
    stop: async () => {
      stopping.abort();
      await living;
      await server.stop();
    },
  };
}
