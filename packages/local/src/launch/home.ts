import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removePostgresData } from '../postgres/serverFolder.ts';
import { LaunchError } from './launchError.ts';

export type Home = {
  /** Logs, cache, secrets.json and local.json. */
  folder: string;
  /** Postgres, Redis and files: the same folder, or a temporary one with --ephemeral. */
  data: string;
  statePath: string;
  secretsPath: string;
};

export function openHome(folder: string, isEphemeral: boolean): Home {
  try {
    const home = resolve(folder);
    mkdirSync(home, { recursive: true });
    const data = isEphemeral ? mkdtempSync(join(tmpdir(), 'holdfast-')) : home;
    // As root we run Postgres as another user, which must be able to enter.
    if (isEphemeral) chmodSync(data, 0o711);
    mkdirSync(join(data, 'files'), { recursive: true, mode: 0o700 });
    const secretsPath = join(data, 'secrets.json');
    return { folder: home, data, statePath: join(home, 'local.json'), secretsPath };
  } catch (error) {
    throw new LaunchError(
      `${folder} can't be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Call it when every process that used the data has ended. */
export function removeEphemeralData(home: Home): void {
  if (home.data === home.folder) return;
  removePostgresData(join(home.data, 'postgres'));
  rmSync(home.data, { recursive: true, force: true });
}
