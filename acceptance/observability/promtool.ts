import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache/holdfast/promtool');
const places = ['/usr/bin', '/usr/local/bin', join(cache, 'usr/bin')];

/**
 * The path of `promtool`: the installed one, or one unpacked from Debian's package `prometheus` without installing it.
 * Null if neither is available.
 */
export async function promtoolCommand(): Promise<string | null> {
  const present = () =>
    places.map((place) => join(place, 'promtool')).find((file) => existsSync(file)) ?? null;
  return present() ?? (await unpack().then(present, () => null));
}

async function unpack(): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const env = { PATH: ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter) };
  const download = () => run('apt-get', ['download', '-qq', 'prometheus'], { cwd: cache, env });
  await download().catch(async () => {
    await run('apt-get', ['update', '-qq'], { env });
    await download();
  });
  const archive = readdirSync(cache).find((file) => file.endsWith('.deb'));
  if (archive) await run('dpkg-deb', ['--extract', join(cache, archive), cache], { env });
}
