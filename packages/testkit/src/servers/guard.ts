import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestServers } from '../config.ts';

const guardianFile = join(import.meta.dirname, 'guardian.ts');

/** Runs the test servers in a process that stops them when `stop` is called or this process ends in any way. */
export async function guardTestServers(): Promise<{ servers: TestServers; stop: () => Promise<void> }> {
  const args = ['--disable-warning=ExperimentalWarning', guardianFile];
  // A session of its own: Ctrl-C reaches Jest only.
  const guardian = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  guardian.stdin.on('error', () => {});
  const ended = once(guardian, 'exit');
  const lines = createInterface({ input: guardian.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => [])])) as [string?];
  if (line === undefined) throw new Error('The test servers could not be started.');
  guardian.unref();
  const stop = async () => {
    guardian.ref();
    guardian.stdin.end();
    await ended;
  };
  return { servers: JSON.parse(line) as TestServers, stop };
}
