import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Account, canRead } from '../process/account.ts';
import { folderOwner } from '../process/claimFolder.ts';

/** For data that the servers' account must reach while the clone lies below a closed folder. */
export const sharedFolder = '/var/lib/holdfast';

/** `dataDir`, or a folder named after it below /var/lib/holdfast when the account can't reach it (a clone in root's home). */
export function serverFolder(dataDir: string, account: Account | undefined): string {
  const isFresh = !existsSync(dataDir);
  const folder = make(resolve(dataDir), account);
  if (canRead(folder, account)) return folder;
  const place = substitute(folder);
  // An operator who deleted `dataDir` meant the data, wherever it is.
  if (isFresh && folderOwner(place) === null) rmSync(place, { recursive: true, force: true });
  return make(place, account);
}

export function postgresPlaces(dataDir: string): string[] {
  const folder = resolve(dataDir);
  return [folder, substitute(folder)];
}

/** Stop the server first. */
export function removePostgresData(dataDir: string): void {
  for (const place of postgresPlaces(dataDir)) rmSync(place, { recursive: true, force: true });
}

function substitute(folder: string): string {
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(sharedFolder, `${basename(folder)}-${key}`);
}

function make(folder: string, account: Account | undefined): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (account) chownSync(folder, account.uid, account.gid);
  return realpathSync(folder);
}
