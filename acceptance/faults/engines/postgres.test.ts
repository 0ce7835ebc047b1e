import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditLedger } from '@holdfast/db/audit/audit';
import { openDatabase, sessionSettings } from '@holdfast/db/client';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { startPostgres } from '@holdfast/local/postgres';
import { serverAccount } from '@holdfast/local/process/account';
import { readTestServers } from '@holdfast/testkit/config';
import { asRole, createTestDatabase, rolePasswords } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create, untilEvent, untilStatus } from '../../stack/executions.ts';
import { startStack } from '../../stack/stack.ts';
import { pgbouncerCommand, startPgbouncer } from './pgbouncer.ts';
import { strangersFile, tlsFiles } from './redisTls.ts';

describe('PostgreSQL that accepts only TLS and requires a client certificate', () => {
  const { certFile, keyFile } = tlsFiles();
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let verified: string;

  beforeAll(async () => {
    const account = serverAccount();
    // Only the server's account may read its key, so the client has another copy.
    const own = tlsFiles();
    if (account) chownSync(own.keyFile, account.uid, account.gid);
    const settings = { ssl: 'on', ssl_cert_file: own.certFile, ssl_key_file: own.keyFile, fsync: 'off' };
    const dataDir = testFolder('postgres');
    server = await startPostgres({ dataDir, settings: { ...settings, ssl_ca_file: own.certFile } });
    const rules = 'hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n';
    writeFileSync(join(dataDir, 'data', 'pg_hba.conf'), rules);
    await ask(server.url, 'SELECT pg_reload_conf()');
    await until('it accepts nothing else', () =>
      ask(server.url, 'SELECT').then(
        () => false,
        () => true,
      ),
    );
    const authorities = strangersFile(certFile);
    verified = `${server.url}?sslmode=verify-full&sslrootcert=${authorities}&sslcert=${certFile}&sslkey=${keyFile}`;
  }, 60_000);
  afterAll(() => server.stop());

  async function ask(url: string, statement: string): Promise<unknown[]> {
    const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    try {
      return (await db.pool.query(statement)).rows;
    } finally {
      await db.close();
    }
  }

  it('can be migrated, given its roles and used', async () => {
    expect((await migrate(verified)).length).toBeGreaterThan(0);
    await applyRoles(verified, rolePasswords);
    const gateway = asRole(verified, 'holdfast_gateway');
    expect(await ask(gateway, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([
      { ssl: true },
    ]);
    expect(await ask(gateway, 'SELECT FROM organizations')).toEqual([]);
  });

  it.each([
    [
      'no trusted authority signed its certificate',
      (url: string) => url.replace(/&sslrootcert=[^&]+/, ''),
      /self-signed/,
    ],
    [
      'another authority is configured',
      (url: string) => url.replace(/(sslrootcert)=[^&]+/, `$1=${strangersFile()}`),
      /self-signed/,
    ],
    [
      'its certificate has another name',
      (url: string) => url.replace('@127.0.0.1', '@localhost'),
      /altnames/,
    ],
    ['the client shows no certificate', (url: string) => url.replace(/&sslcert=.*/, ''), /certificate/],
  ])('is not used when %s', async (_when, changed, reason) => {
    await expect(ask(changed(verified), 'SELECT')).rejects.toThrow(reason);
    await expect(migrate(changed(verified))).rejects.toThrow(reason);
  });
});

const command = await pgbouncerCommand();
const described = command === null ? describe.skip : describe;

described('PgBouncer in transaction mode (skipped if Debian’s package is not available)', () => {
  it('runs executions end to end, with unprepared statements', async () => {
    const bouncer = await startPgbouncer(command ?? '', readTestServers().templateUrl);
    const stack = await startStack({ DATABASE_PREPARED: 'false' }, [], undefined, bouncer.before);
    try {
      const customer = await stack.newCustomer('10');
      await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
      // More concurrent requests than the pooler has sessions.
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

  it('can be restarted under load', async () => {
    const bouncer = await startPgbouncer(command ?? '', readTestServers().templateUrl);
    const stack = await startStack({ DATABASE_PREPARED: 'false' }, [], undefined, bouncer.before);
    try {
      const { api } = await stack.newCustomer('10');
      /** Sends a refused create again with its key, as clients do. */
      const createPatiently = (index: number) =>
        until(`create ${index}`, async () => {
          const input = { prompt: 'a', delay_ms: 300, mode: index % 2 ? 'sync' : 'callback' };
          const key = { 'idempotency-key': `restart-${index}` };
          const { status, body } = await api.post('/v1/executions', { model: 'sandbox-text', input }, key);
          if (status !== 202) expect(body).toMatchObject({ error: { retryable: true } });
          return status === 202 && String(body['id']);
        });
      const creates = Array.from({ length: 30 }, (_, index) => createPatiently(index));
      await creates[0];
      await bouncer.restart();
      const ids = await Promise.all(creates);
      expect(new Set(ids).size).toBe(30);
      for (const id of ids) await untilStatus(api, id, 'COMPLETED');
      expect(await auditLedger(stack.db)).toEqual([]);
    } finally {
      await stack.close();
      await bouncer.stop();
    }
  }, 120_000);

  it('has its session settings in docs/engines.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/engines.md'), 'utf8');
    expect(page).toContain(`connect_query='${sessionSettings}'`);
  });

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
    const prepared = openDatabase({ ...options, isPrepared: true });
    await expect(prepared.pool.query('SELECT')).rejects.toThrow(/unsupported startup parameter/);
    await prepared.close();
    await bouncer.stop();
    await database.drop();
  });
});
