import { statfsSync, statSync } from 'node:fs';

/** Below this, PostgreSQL may find no room for its log, and stop. */
export const leastFreeBytes = 200 * 1024 * 1024;

export type DiskSpace = { folder: string; freeBytes: number };

/** What ordinary users may still write, once for each disk of the folders; missing folders are left out. */
export function diskSpaces(folders: string[]): DiskSpace[] {
  const spaces = new Map<number, DiskSpace>();
  for (const folder of folders) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found || spaces.has(found.dev)) continue;
    const { bavail, bsize } = statfsSync(folder);
    spaces.set(found.dev, { folder, freeBytes: bavail * bsize });
  }
  return [...spaces.values()];
}

/** `12 MB`, `59.1 GB` */
export function shownBytes(bytes: number): string {
  const mega = bytes / 1024 / 1024;
  return mega < 1024 ? `${Math.floor(mega)} MB` : `${(mega / 1024).toFixed(1)} GB`;
}
