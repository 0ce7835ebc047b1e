import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTicks } from './processIdentity.ts';

/**
 * Notes in a folder that this process works on it, so that a second one neither shares its data nor ends its
 * servers; `release` takes the note away. Throws when another living process holds the claim; a dead one's is taken.
 */
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

/** The id of the living process that claimed a folder, or null. */
export function folderOwner(folder: string): number | null {
  try {
    const [pid = '', ticks] = readFileSync(join(folder, 'owner'), 'utf8').split(' ');
    return startTicks(Number(pid)) === ticks ? Number(pid) : null;
  } catch {
    return null;
  }
}
