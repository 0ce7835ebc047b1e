import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache/holdfast/promtool');
const program = 'usr/bin/promtool';
const places = ['/usr/bin/promtool', '/usr/local/bin/promtool', join(cache, program)];

/**
 * The path of `promtool`: the installed one, or one unpacked from Debian's package `prometheus` without installing it.
 * Null if neither is available.
 */
export async function promtoolCommand(): Promise<string | null> {
  const present = () => places.find((file) => existsSync(file)) ?? null;
  return present() ?? (await unpack().then(present, () => null));
}

/** Beside other tests that unpack it, too: a program that is still written cannot be run. */
async function unpack(): Promise<void> {
  mkdirSync(join(cache, 'usr/bin'), { recursive: true });
  const scratch = mkdtempSync(join(cache, 'unpacking-'));
  const env = { PATH: ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter) };
  const download = () => run('apt-get', ['download', '-qq', 'prometheus'], { cwd: scratch, env });
  try {
    await download().catch(async () => {
      await run('apt-get', ['update', '-qq'], { env });
      await download();
    });
    const archive = readdirSync(scratch).find((file) => file.endsWith('.deb'));
    if (!archive) return;
    await run('dpkg-deb', ['--extract', join(scratch, archive), scratch], { env });
    renameSync(join(scratch, program), join(cache, program));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
