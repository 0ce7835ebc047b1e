import { migrate } from '@holdfast/db/migrate/migrate';
import { makePartitions } from '@holdfast/db/partitions';
import { startPostgres } from '@holdfast/local/postgres';
import { serverAccount } from '@holdfast/local/process/account';
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '@holdfast/testkit/smallDisk';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import {
  openTestGateway,
  organizationWithKey,
  startTestGateway,
  type TestGateway,
} from '../testing/testGateway.ts';
import { applyTestModels } from '../testing/testModels.ts';

type Client = { create(): Promise<Response>; upload(): Promise<Response> };

/** A create is a named statement of a batch; an upload is written by Prisma. */
async function clientOf(gateway: TestGateway): Promise<Client> {
  await applyTestModels(gateway.context.db);
  const { key } = await organizationWithKey(gateway, { balance: '10' });
  const post = (path: string, body: object) => gateway.client(key).post(path).send(body);
  return {
    create: async () => await post('/v1/executions', { model: 'writer', input: { prompt: 'a' } }),
    upload: async () =>
      await post('/v1/files/upload', { filename: 'a.png', content_type: 'image/png', size_bytes: 1 }),
  };
}

function expectPassing({ status, body, headers }: Response): void {
  expect([status, body.error.code, body.error.retryable]).toEqual([503, 'SERVICE_UNAVAILABLE', true]);
  expect(headers['retry-after']).toBe('2');
}

const raise = (gateway: TestGateway, table: string, statement: string) =>
  gateway.context.db.pool.query(`
    CREATE OR REPLACE FUNCTION provoke() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$;
    CREATE OR REPLACE TRIGGER provoked BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION provoke()`);

const calm = (gateway: TestGateway) =>
  gateway.context.db.pool.query('DROP FUNCTION IF EXISTS provoke CASCADE');

describe('a transient database fault', () => {
  let gateway: TestGateway;
  let client: Client;

  beforeAll(async () => {
    gateway = await startTestGateway();
    client = await clientOf(gateway);
  });

  afterEach(() => calm(gateway));
  afterAll(() => gateway.close());

  it.each([
    '57014',
    '25006',
    '40P01',
    '40001',
    '55P03',
    '53100',
    '53200',
    '53300',
    '57P01',
    '57P02',
    '57P03',
    '08006',
    '08P01',
  ])('%s is 503 with Retry-After, and the request succeeds when the fault is over', async (state) => {
    for (const table of ['executions', 'files']) {
      await raise(gateway, table, `RAISE 'raised' USING ERRCODE = '${state}'`);
    }
    expectPassing(await client.create());
    expectPassing(await client.upload());
    await calm(gateway);
    expect([(await client.create()).status, (await client.upload()).status]).toEqual([202, 201]);
  });

  it('is not assumed for a bug, which stays a 500 that is not retryable', async () => {
    await raise(gateway, 'files', "RAISE 'raised' USING ERRCODE = '42P01'");
    const { status, body } = await client.upload();
    expect([status, body.error.code, body.error.retryable]).toEqual([500, 'INTERNAL_ERROR', false]);
  });

  it('is 503 for a statement that is cancelled while it waits for a lock', async () => {
    const { pool } = gateway.context.db;
    const holder = await pool.connect();
    await holder.query('BEGIN; UPDATE balances SET available = available');
    const response = client.create();
    const waiting =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await until('the create waits', async () => ((await pool.query(waiting)).rowCount ?? 0) > 0);
    await pool.query(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waiting`);
    expectPassing(await response);
    await holder.query('ROLLBACK');
    holder.release();
    expect((await client.create()).status).toBe(202);
  });

  it('is recorded in the audit log with its status', async () => {
    await raise(gateway, 'organizations', "RAISE 'raised' USING ERRCODE = '40001'");
    const admin = request(createAdminApp(gateway.context));
    const token = 'an-admin-token-for-tests';
    expectPassing(
      await admin.post('/admin/v1/organizations').auth(token, { type: 'bearer' }).send({ name: 'a' }),
    );
    const actions = await gateway.context.db.prisma.adminAction.findMany();
    const ended = actions.filter(({ status }) => status !== 0);
    expect(ended.map(({ action, status }) => [action, status])).toEqual([
      ['POST /admin/v1/organizations', 503],
    ]);
  });
});

describe('a PostgreSQL that is out of resources', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let gateway: TestGateway;
  let client: Client;

  beforeAll(async () => {
    const settings = { fsync: 'off', max_connections: '20', max_locks_per_transaction: '32' };
    server = await startPostgres({ dataDir: testFolder('postgres'), settings });
    await migrate(server.url);
    gateway = await openTestGateway({
      databaseUrl: server.url,
      redisUrl: testRedisUrl(),
      folder: testFolder('files'),
    });
    await makePartitions(gateway.context.db.pool);
    client = await clientOf(gateway);
  }, 120_000);

  afterAll(async () => {
    await gateway.close();
    await server.stop();
  });

  it('causes 503 when its shared memory has no room for another lock', async () => {
    await raise(gateway, 'files', 'PERFORM pg_advisory_xact_lock(i) FROM generate_series(1, 100000) AS i');
    expectPassing(await client.upload());
    // PostgreSQL reports the error before it releases the locks.
    await until('the locks are released', () =>
      calm(gateway).then(
        () => true,
        () => false,
      ),
    );
    expect((await client.upload()).status).toBe(201);
  });

  (canMountSmallDisk ? describe : describe.skip)(
    'because its disk is full (skipped where no file system can be mounted: only root may)',
    () => {
      let disk: SmallDisk;

      beforeAll(async () => {
        const account = serverAccount();
        disk = mountSmallDisk(1 << 20, account);
        const { pool } = gateway.context.db;
        await pool.query(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
        await pool.query('ALTER TABLE files SET TABLESPACE small');
      });

      afterAll(() => disk.unmount());

      it('causes 503 until a connection is free', async () => {
        disk.fill();
        const responses = [];
        // What fits into the last page of the table is still taken.
        do responses.push(await client.upload());
        while (responses.at(-1)?.status === 201);
        expectPassing(responses.at(-1) as Response);
        disk.empty();
        expect((await client.upload()).status).toBe(201);
      });
    },
  );
});
