import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Account } from './account.ts';

type ServerCommand = {
  name: string;
  command: string;
  args: string[];
  /** For secrets that the process list must not show. */
  stdin?: string;
  account?: Account | undefined;
  /** A matching line of output, or a check that is repeated until true. */
  ready: RegExp | ((pid: number) => boolean);
  timeoutMs: number;
  onLog?: ((line: string) => void) | undefined;
};

const pollEveryMs = 10;

/** In a session of its own: Ctrl-C must not reach it before its users have stopped. Rejects with the reason it ended. */
export async function startServer(server: ServerCommand): Promise<ChildProcess & { pid: number }> {
  const { name, ready, timeoutMs, onLog } = server;
  const child = spawnPrivate(server);
  child.stdin.on('error', () => {}).end(server.stdin ?? '');
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  const lastLines: string[] = [];
  const onLine = (line: string) => {
    onLog?.(line);
    lastLines.push(line);
    if (lastLines.length > 40) lastLines.shift();
    if (ready instanceof RegExp && ready.test(line)) resolve();
  };
  for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', onLine);
  child.once('error', (error) => reject(new Error(`${name} can't be run: ${error.message}`)));
  child.once('close', () => reject(new Error(`${name} did not start: ${failureLine(lastLines)}`)));
  const polling = setInterval(() => {
    if (typeof ready === 'function' && child.pid !== undefined && ready(child.pid)) resolve();
  }, pollEveryMs);
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`${name} was not ready within ${timeoutMs / 1000} s.`));
  }, timeoutMs);
  try {
    await started;
    return child as ChildProcess & { pid: number };
  } finally {
    clearInterval(polling);
    clearTimeout(timer);
  }
}

/** A child inherits the mask: its files are for its account alone. */
function spawnPrivate({ command, args, account }: ServerCommand): ChildProcessWithoutNullStreams {
  const mask = process.umask(0o077);
  try {
    return spawn(command, args, {
      cwd: '/',
      detached: true,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      ...account,
    });
  } finally {
    process.umask(mask);
  }
}

/** A server's reason is in its fatal line, seldom in the last one. */
export function failureLine(lines: string[]): string {
  const fatalLine = lines.findLast((line) => /FATAL|PANIC|fatal|error:|Bad file format|# /.test(line));
  return (
    fatalLine ??
    lines.at(-1) ??
    'it ended without output: look at the log that it is configured to write'
  ).replace(/^.*?(FATAL|PANIC|# ):?\s*/, '');
}

export type RunningServer = {
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended, stopped or by itself. */
  exited: Promise<void>;
  stop: () => Promise<void>;
};

export function freePort(): Promise<number> {
  return listenOnce(0);
}

export async function requireFree(port: number): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use.' : `can't be used (${code}).`;
    throw new Error(`Port ${port} ${reason}`, { cause: error });
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}
