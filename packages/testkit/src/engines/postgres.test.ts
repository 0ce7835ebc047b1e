import { chownSync } from 'node:fs';
import { auditLedger } from '@holdfast/db/audit/audit';
import { openDatabase } from '@holdfast/db/client';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/applyRoles';
import { startPostgres } from '@holdfast/local/postgres';
import { serverAccount } from '@holdfast/local/process/account';
import { describe, expect, it } from '@jest/globals';
import { asRole, rolePasswords } from '../asRole.ts';
import { readTestServers } from '../config.ts';
import { create, untilEvent, untilStatus } from '../executions.ts';
import { startStack } from '../stack.ts';
import { createTestDatabase } from '../testDatabase.ts';
import { testFolder } from '../testFolder.ts';
import { pgbouncerCommand, startPgbouncer } from './pgbouncer.ts';
import { tlsFiles } from './redisTls.ts';

describe('PostgreSQL over TLS alone', () => {
  it('is migrated, given its roles and used, when the authority is named', async () => {
    const { certFile, keyFile } = tlsFiles();
    const account = serverAccount();
    if (account) chownSync(keyFile, account.uid, account.gid);
    const settings = { ssl: 'on', ssl_cert_file: certFile, ssl_key_file: keyFile, fsync: 'off' };
    const server = await startPostgres({ dataDir: testFolder('postgres'), settings });
    try {
      const verified = `${server.url}?sslmode=verify-full&sslrootcert=${certFile}`;
      expect((await migrate(verified)).length).toBeGreaterThan(0);
      await applyRoles(verified, rolePasswords);
      const db = openDatabase({
        url: asRole(verified, 'holdfast_gateway'),
        poolSize: 1,
        applicationName: 'test',
      });
      const { rows } = await db.pool.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      expect(rows).toEqual([{ ssl: true }]);
      expect(await db.prisma.organization.count()).toBe(0);
      await db.close();
      await expect(migrate(`${server.url}?sslmode=verify-full`)).rejects.toMatchObject({
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      });
    } finally {
      await server.stop();
    }
  }, 60_000);
});

const command = await pgbouncerCommand();
const described = command === null ? describe.skip : describe;

described('PgBouncer in transaction mode (skipped where Debian’s package can’t be had)', () => {
  it('carries executions end to end, with statements that are not prepared', async () => {
    const bouncer = await startPgbouncer(command ?? '', readTestServers().templateUrl);
    const stack = await startStack({ DATABASE_PREPARED: 'false' }, [], undefined, bouncer.before);
    try {
      const customer = await stack.newCustomer('10');
      await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
      // More at once than the pooler has sessions.
      const modes = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'sync' : 'callback'));
      const ids = await Promise.all(
        modes.map((mode) => create(customer.api, 'sandbox-text', { prompt: 'a', mode })),
      );
      for (const id of ids) {
        await untilStatus(customer.api, id, 'COMPLETED');
        await untilEvent(stack.receiver, id, 'execution.completed');
      }
      expect(await auditLedger(stack.db)).toEqual([]);
    } finally {
      await stack.close();
      await bouncer.stop();
    }
  }, 60_000);

  it('gives every session the settings of a service', async () => {
    const database = await createTestDatabase();
    const bouncer = await startPgbouncer(command ?? '', database.url);
    const options = {
      url: bouncer.before(database.url),
      poolSize: 1,
      applicationName: 'test',
      isPrepared: false,
    };
    const db = openDatabase(options);
    const shown = `SELECT current_setting('plan_cache_mode') AS plan, current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('enable_seqscan') AS scan`;
    expect((await db.pool.query(shown)).rows).toEqual([
      { plan: 'force_generic_plan', statement: '30s', idle: '30s', scan: 'off' },
    ]);
    const named = { name: 'one', text: 'SELECT $1::int AS one', values: [1] };
    for (let time = 0; time < 3; time++) expect((await db.pool.query(named)).rows).toEqual([{ one: 1 }]);
    expect((await db.pool.query('SELECT FROM pg_prepared_statements')).rowCount).toBe(0);
    await db.close();
    await bouncer.stop();
    await database.drop();
  });
});
