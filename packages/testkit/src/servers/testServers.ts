import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@holdfast/db/databases';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { endPostgresOrphan, startPostgres } from '@holdfast/local/postgres';
import { postgresFolders, removePostgresData } from '@holdfast/local/postgres/dataFolder';
import { claimFolder, folderOwner } from '@holdfast/local/process/processes';
import { endRedisOrphan, startRedis } from '@holdfast/local/redis';
import type { TestServers } from '../config.ts';
import { rolePasswords, serverUrl, templateName } from '../testDatabase.ts';

export const folderPrefix = 'holdfast-test-';

const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export async function startTestServers(): Promise<{ servers: TestServers; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), folderPrefix));
  claimFolder(folder);
  // PostgreSQL runs as another user when we are root.
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'postgres');
  const started = await Promise.allSettled([
    startPostgres({ dataDir, settings: volatile }),
    startRedis({ dir: join(folder, 'redis'), isDurable: false }),
  ]);
  const stop = async () => {
    endUsers(folder);
    await Promise.all(
      started.filter((result) => result.status === 'fulfilled').map(({ value }) => value.stop()),
    );
    await clearRun(folder);
  };
  try {
    const [postgres, redis] = started.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    if (!postgres || !redis) throw new Error('unreachable');
    const templateUrl = await createDatabase(serverUrl(postgres.url), templateName);
    await migrate(templateUrl);
    await applyRoles(templateUrl, rolePasswords);
    return { servers: { templateUrl, redisUrl: redis.url, folder }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A run's folder, a test's folder in it, and a server's folder in that. */
const maxFolderDepth = 3;

/** Ends the users of a run's folder and the servers on data in it, then removes it. */
export async function clearRun(folder: string): Promise<void> {
  // The environment of every user of the run names the folder (config.ts).
  endUsers(folder);
  const folders = foldersBelow(folder, maxFolderDepth);
  // All servers end before any data goes: pid files are part of it.
  for (const below of folders) {
    for (const data of postgresFolders(below)) await endPostgresOrphan(join(data, 'data'));
    await endRedisOrphan(below);
  }
  for (const below of folders) removePostgresData(below);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function foldersBelow(folder: string, levels: number): string[] {
  if (levels === 0) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.flatMap(({ name }) => foldersBelow(join(folder, name), levels - 1))];
}

/** Kills every process with `mark` in its environment: Jest's workers and started services survive a killed Jest. */
export function endUsers(mark: string): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const pid = Number(name);
    if (pid === process.pid || !hasInEnvironment(pid, mark)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function hasInEnvironment(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
  } catch {
    return false;
  }
}

/** Younger folders may not be claimed yet. */
const minAgeMs = 60_000;

/** Clears test runs whose guardian was killed. */
export async function sweepAbandoned(parent: string = tmpdir(), now: number = Date.now()): Promise<void> {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(realpathSync(parent), name);
    try {
      if (folderOwner(folder) !== null || now - statSync(folder).mtimeMs < minAgeMs) continue;
      await clearRun(folder);
    } catch {
      // Owned by another user, or swept by another run.
    }
  }
}
