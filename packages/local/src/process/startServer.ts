import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Account } from './account.ts';

export type ServerCommand = {
  name: string;
  command: string;
  args: string[];
  /** Written to the server's standard input: for what must not stand in the list of processes. */
  stdin?: string;
  account?: Account | undefined;
  /** The server is ready when a line of its log matches. */
  ready: RegExp;
  timeoutMs: number;
  onLog?: ((line: string) => void) | undefined;
};

/**
 * Starts a server in a session of its own (Ctrl-C must not reach it before its users have stopped) and resolves
 * when it is ready. Rejects with its last words when it ends before that.
 */
export function startServer(server: ServerCommand): Promise<ChildProcess & { pid: number }> {
  const child = spawn(server.command, server.args, {
    cwd: '/',
    detached: true,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...server.account,
  });
  child.stdin.on('error', () => {}).end(server.stdin ?? '');
  return new Promise((resolve, reject) => {
    const lastLines: string[] = [];
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${server.name} was not ready within ${server.timeoutMs / 1000} s.`));
    }, server.timeoutMs);
    const onLine = (line: string) => {
      server.onLog?.(line);
      lastLines.push(line);
      if (lastLines.length > 40) lastLines.shift();
      if (!server.ready.test(line)) return;
      clearTimeout(timer);
      resolve(child as ChildProcess & { pid: number });
    };
    for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', onLine);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`${server.name} can't be run: ${error.message}`));
    });
    child.once('close', () => {
      clearTimeout(timer);
      reject(new Error(`${server.name} did not start: ${tellingLine(lastLines)}`));
    });
  });
}

// A server's reason stands in a line marked as fatal, seldom in its last.
function tellingLine(lines: string[]): string {
  const telling = lines.findLast((line) => /FATAL|PANIC|fatal|error:|Bad file format|# /.test(line));
  return (telling ?? lines.at(-1) ?? 'it ended without a word').replace(/^.*?(FATAL|PANIC|# ):?\s*/, '');
}
