import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@holdfast/testkit/until';
import type { Suite } from './suite.ts';

/** A model server and the processes that it starts, known by a mark in their environment: some have groups of their own. */
export type PythonServer = {
  url: string;
  /** Starts it and resolves when it is ready. */
  start(): Promise<void>;
  /** Ends the server and all that it started at once, as a machine that fails does. */
  kill(): Promise<void>;
  /** What it has logged since the suite began, over all its starts. */
  log(): string;
};

const markName = 'HOLDFAST_ACCEPTANCE_SERVER';
const readyWithinMs = 180_000;

export function pythonServer(
  name: string,
  { suite, environment, logs, port }: { suite: Suite; environment: string; logs: string; port: number },
): PythonServer {
  const { program, args, folder, env } = suite.command(port);
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(logs, `${name}.log`);
  const mark = randomUUID();
  let child: ChildProcess | null = null;

  function launch(): ChildProcess {
    mkdirSync(logs, { recursive: true });
    const log = openSync(logPath, 'a');
    try {
      return spawn(join(environment, 'bin', program), args, {
        cwd: folder,
        // What these servers start themselves is found on the path.
        env: {
          ...pathOf(environment),
          PYTHONUNBUFFERED: '1',
          PYTHONDONTWRITEBYTECODE: '1',
          [markName]: mark,
          ...env,
        },
        detached: true,
        stdio: ['ignore', log, log],
      });
    } finally {
      closeSync(log);
    }
  }

  return {
    url,
    async start() {
      const started = launch();
      child = started;
      const ended = once(started, 'exit').then(() => {
        throw new Error(`${name} ended while it started: see ${logPath}`);
      });
      ended.catch(() => undefined);
      const ready = until(`${name} is ready`, () => isReady(url, suite.ready), readyWithinMs);
      ready.catch(() => undefined);
      await Promise.race([ready, ended]);
    },
    async kill() {
      if (child?.pid === undefined) return;
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      killMarked(mark);
      await exited;
      child = null;
    },
    log: () => readFileSync(logPath, 'utf8'),
  };
}

function pathOf(environment: string): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return { HOME, LANG, TMPDIR, PATH: `${join(environment, 'bin')}:${PATH}` };
}

async function isReady(url: string, { path, says }: Suite['ready']): Promise<boolean> {
  try {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(2000) });
    const body = await response.text();
    return response.ok && (says?.(body) ?? true);
  } catch {
    return false;
  }
}

function killMarked(mark: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      if (environment.includes(`${markName}=${mark}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended already, or is another user's.
    }
  }
}
