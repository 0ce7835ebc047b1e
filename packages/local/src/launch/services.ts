import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { rotateLog } from '../supervisor/logFile.ts';
import { type ServiceSpec, type Supervised, supervise, type Watcher } from '../supervisor/supervise.ts';
import { LaunchError } from './launchError.ts';

export type ServiceProgram = {
  name: string;
  main: string;
  env: NodeJS.ProcessEnv;
  /** Resolves when PostgreSQL and Redis can be used; undefined: they can. */
  servers?: Promise<void>;
  metricsPort: number;
};

export type RunningService = Supervised & { metricsUrl: string; logPath: string };

const readyWithinMs = 120_000;
const readyEveryMs = 50;
const deathsBeforeReady = 3;
/**
 * As in the Dockerfile, in MiB. On machines with much memory V8 lets a process keep 128 MB of young objects, most of them
 * garbage. Each collection copies the requests that are open: the ledger has none, the others have hundreds (ADR 0019).
 */
const youngHalfMib = (name: string) => (name === 'ledger' ? 2 : 16);
/** Few arenas, and large blocks go back to the system when they are freed. */
const memorySettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

const preload = (file: string) => ['--import', join(import.meta.dirname, '../supervisor', file)];

function specOf({ name, main, env, servers, metricsPort }: ServiceProgram, home: string): ServiceSpec {
  const origin = `http://127.0.0.1:${metricsPort}`;
  const preloads = [...preload('endWithLauncher.ts'), ...(servers ? preload('awaitServers.ts') : [])];
  return {
    name,
    command: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      `--max-semi-space-size=${youngHalfMib(name)}`,
      ...preloads,
      main,
    ],
    env: { ...memorySettings, NODE_COMPILE_CACHE: join(home, 'cache'), ...env },
    ...(servers && { servers }),
    readyUrl: `${origin}/readyz`,
    healthUrl: `${origin}/healthz`,
    logPath: join(home, 'logs', `${name}.log`),
  };
}

export function startService(program: ServiceProgram, home: string, watcher: Watcher): RunningService {
  const spec = specOf(program, home);
  const logs = join(home, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  chmodSync(logs, 0o700); // An earlier start may have made it for everyone.
  rotateLog(spec.logPath);
  const metricsUrl = `http://127.0.0.1:${program.metricsPort}/metrics`;
  return { ...supervise(spec, watcher), metricsUrl, logPath: spec.logPath };
}

/** Waits for `/readyz`. @throws LaunchError when the service keeps dying or takes too long */
export async function untilReady(service: RunningService, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + readyWithinMs;
  while (!(await service.isReady())) {
    signal.throwIfAborted();
    if (service.deaths() >= deathsBeforeReady) {
      throw new LaunchError(`${service.name} does not start: see ${service.logPath}`);
    }
    if (performance.now() > giveUpAt) {
      throw new LaunchError(
        `${service.name} is not ready after ${readyWithinMs / 1000} s: see ${service.logPath}`,
      );
    }
    await delay(readyEveryMs, undefined, { signal });
  }
}
