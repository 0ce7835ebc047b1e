import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { startPostgres } from '@holdfast/local/postgres';
import { rolePasswords } from './testDatabase.ts';
import { testFolder } from './testFolder.ts';

const run = promisify(execFile);
const settings = { fsync: 'off', full_page_writes: 'off' };

/** A migrated primary and a streaming replica. */
export async function startReplicatedPostgres() {
  const [primaryDir, replicaDir] = [testFolder('primary'), testFolder('replica')];
  const made = await startPostgres({ dataDir: primaryDir, settings });
  await migrate(made.url);
  await applyRoles(made.url, rolePasswords);
  await made.stop();
  // Copied while the server is down; the signal file makes it a standby.
  await run('cp', ['-a', `${primaryDir}/.`, replicaDir]);
  writeFileSync(join(replicaDir, 'data', 'standby.signal'), '');
  const primary = await startPostgres({ dataDir: primaryDir, settings });
  const { hostname, port, username, password } = new URL(primary.url);
  const replica = await startPostgres({
    dataDir: replicaDir,
    settings: {
      ...settings,
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    },
  });
  return {
    url: primary.url,
    replicaUrl: replica.url,
    stopReplica: () => replica.stop(),
    async stop() {
      await replica.stop();
      await primary.stop();
    },
  };
}
