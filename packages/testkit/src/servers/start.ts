import { chmodSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@holdfast/db/databases';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { startPostgres } from '@holdfast/local/postgres';
import { claimFolder } from '@holdfast/local/process/claimFolder';
import { startRedis } from '@holdfast/local/redis';
import { rolePasswords } from '../asRole.ts';
import type { TestServers } from '../config.ts';
import { serverUrl, templateName } from '../template.ts';
import { clear } from './clear.ts';
import { endUsers } from './endUsers.ts';

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
    await clear(folder);
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
