import { delimiter } from 'node:path';
import { findCommand, installPackage } from '../process/debianPackage.ts';

const folders = ['/usr/bin', '/usr/local/bin', '/usr/sbin'];

/** Installs a missing package as root on Debian; elsewhere rejects with what to install. */
export async function redisCommand(
  onLog?: (line: string) => void,
  path: string = folders.join(delimiter),
): Promise<string> {
  const present = findCommand('redis-server', path);
  if (present) return present;
  if (process.getuid?.() !== 0 || !findCommand('apt-get', path)) {
    throw new Error(
      'Redis is missing: install redis-server (Debian, Ubuntu: sudo apt-get install redis-server).',
    );
  }
  onLog?.('installing redis-server from the distribution');
  await installPackage('redis-server').catch((error: Error) => {
    const reason = `Redis is missing, and apt-get can't install redis-server: ${error.message}`;
    throw new Error(reason, { cause: error });
  });
  const installed = findCommand('redis-server', path);
  if (!installed) throw new Error('Redis is missing: apt-get installed redis-server, but it was not found.');
  return installed;
}
