import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTicks } from './processIdentity.ts';

/** A second process must not share the folder's data or end its servers. @throws when a living process holds the claim */
export function claimFolder(folder: string): { release: () => void } {
  mkdirSync(folder, { recursive: true });
  const owner = folderOwner(folder);
  if (owner !== null && owner !== process.pid) {
    throw new Error(`${folder} is in use by process ${owner}: stop that one first.`);
  }
  const file = join(folder, 'owner');
  writeFileSync(file, `${process.pid} ${startTicks(process.pid)}`, { mode: 0o600 });
  return { release: () => rmSync(file, { force: true }) };
}

export function folderOwner(folder: string): number | null {
  try {
    const [pid = '', ticks] = readFileSync(join(folder, 'owner'), 'utf8').split(' ');
    return startTicks(Number(pid)) === ticks ? Number(pid) : null;
  } catch {
    return null;
  }
}
