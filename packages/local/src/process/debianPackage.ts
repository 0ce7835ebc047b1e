import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export function findCommand(command: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
}

/** Without starting its server. @throws apt-get's reason */
export async function installPackage(name: string): Promise<void> {
  const args = ['install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name];
  const allowServices = forbidServices();
  try {
    await aptGet(args).catch(async () => {
      await aptGet(['update', '-qq']);
      await aptGet(args);
    });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(stderr?.trim().split('\n').at(-1) || message, { cause: error });
  } finally {
    allowServices();
  }
}

function aptGet(args: string[]): Promise<unknown> {
  const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
  return run('apt-get', args, { env: { ...process.env, PATH, DEBIAN_FRONTEND: 'noninteractive' } });
}

// Debian starts an installed server unless this script (exit code 101) forbids it.
function forbidServices(): () => void {
  const script = '/usr/sbin/policy-rc.d';
  try {
    writeFileSync(script, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  } catch {
    return () => {};
  }
  return () => rmSync(script, { force: true });
}
