import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The output of redis-cli for a Redis on loopback. */
export async function redisCli(port: number, password: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('redis-cli', ['--no-auth-warning', '-a', password, '-p', `${port}`, ...args]);
  return stdout.replaceAll('\r', '');
}
