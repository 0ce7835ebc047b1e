import { openDatabase } from '@holdfast/db/client';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { startPostgres } from '@holdfast/local/postgres';
import { rolePasswords } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { expect, it } from '@jest/globals';

const role = 'holdfast_ledger';
const twin = 'holdfast_ledger_twin';

// The steps of docs/rotation.md, on a server of its own: roles belong to all databases of a server.
it('the password of a database role can be replaced while a second login is in use', async () => {
  const server = await startPostgres({ dataDir: testFolder('postgres'), settings: { fsync: 'off' } });
  await migrate(server.url);
  await applyRoles(server.url, rolePasswords);
  const owner = openDatabase({ url: server.url, poolSize: 1, applicationName: 'test' });

  /** A service with this login that keeps using its open connection. */
  function openService(username: string, password: string) {
    const url = Object.assign(new URL(server.url), { username, password }).href;
    const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    return { work: () => db.pool.query('SELECT FROM executions'), close: db.close };
  }

  const first = openService(role, rolePasswords[role]);
  await first.work();
  await owner.pool.query(`CREATE ROLE ${twin} LOGIN PASSWORD 'between' IN ROLE ${role}`);
  const second = openService(twin, 'between');
  await second.work();

  await applyRoles(server.url, { ...rolePasswords, [role]: 'the new one' });
  await first.work();
  await second.work();
  const late = openService(twin, 'between');
  await late.work();
  const third = openService(role, 'the new one');
  await third.work();
  const old = openService(role, rolePasswords[role]);
  await expect(old.work()).rejects.toThrow(/password authentication failed/);

  await Promise.all([first, second, late, old].map((service) => service.close()));
  await owner.pool.query(`DROP ROLE ${twin}`);
  await third.work();
  await Promise.all([third.close(), owner.close()]);
  await server.stop();
}, 60_000);
