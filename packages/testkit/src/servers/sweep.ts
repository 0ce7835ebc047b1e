import { readdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOwner } from '@holdfast/local/process/claimFolder';
import { clear } from './clear.ts';
import { folderPrefix } from './start.ts';

/** Younger folders may not be claimed yet. */
const minAgeMs = 60_000;

/** Clears test runs whose guardian was killed. */
export async function sweepAbandoned(parent: string = tmpdir(), now: number = Date.now()): Promise<void> {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(realpathSync(parent), name);
    try {
      if (folderOwner(folder) !== null || now - statSync(folder).mtimeMs < minAgeMs) continue;
      await clear(folder);
    } catch {
      // Owned by another user, or swept by another run.
    }
  }
}
