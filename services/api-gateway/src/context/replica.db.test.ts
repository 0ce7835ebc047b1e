import { startExecutions } from '@holdfast/db/executions/start';
import { takeStream, writeStreamEvents } from '@holdfast/db/streams';
import { openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { startReplicatedPostgres } from '@holdfast/testkit/replica';
import { asRole } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newExecution } from '../testing/newExecution.ts';
import { openTestGateway, organizationWithKey, type TestGateway } from '../testing/testGateway.ts';
import { applyTestModels } from '../testing/testModels.ts';

let servers: Awaited<ReturnType<typeof startReplicatedPostgres>>;
let patient: TestGateway;
let strict: TestGateway;
let owner: TestGateway;
let organizationId: string;
let key: string;

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  const open = (maxLagS: string) =>
    openTestGateway(
      {
        databaseUrl: asRole(servers.url, 'holdfast_gateway'),
        redisUrl: testRedisUrl(),
        folder: testFolder('files'),
      },
      {
        DATABASE_REPLICA_URL: asRole(servers.replicaUrl, 'holdfast_gateway'),
        DATABASE_REPLICA_MAX_LAG_S: maxLagS,
      },
    );
  [patient, strict] = await Promise.all([open('3600'), open('1')]);
  owner = await openTestGateway({ ...patient.servers, databaseUrl: servers.url });
  ({ organizationId, key } = await organizationWithKey(owner, { balance: '10' }));
  await newExecution(owner.context.db, organizationId);
  await applyTestModels(owner.context.db);
  await owner.context.db.pool.query(
    `INSERT INTO models (slug, definition, is_active) SELECT 'poet', definition || $1::jsonb, true FROM models WHERE slug = 'writer'`,
    [JSON.stringify({ slug: 'poet', stream: 'text', on_cancel: 'release' })],
  );
}, 120_000);

afterAll(async () => {
  await Promise.all([patient, strict, owner].map((gateway) => gateway.close()));
  await servers.stop();
});

const get = (gateway: TestGateway, path: string) => gateway.client(key).get(path).expect(200);

async function listed(gateway: TestGateway, query = ''): Promise<string[]> {
  const { body } = await get(gateway, `/v1/executions${query}`);
  return body.data.map(({ id }: { id: string }) => id);
}

async function replay(what: 'pause' | 'resume'): Promise<void> {
  const client = new pg.Client({ connectionString: servers.replicaUrl });
  await client.connect();
  await client.query(`SELECT pg_wal_replay_${what}()`);
  await client.end();
}

const paths = ['/v1/events', '/v1/balance/transactions', '/v1/usage', '/v1/executions'];

// In this order, for the replica ends up stopped.
describe('a read replica', () => {
  it('serves lists', async () => {
    await until('the replica has it', async () => (await listed(patient)).length === 1);
    await replay('pause');
    const id = await newExecution(patient.context.db, organizationId);
    // A replica that is slow to report its lag is asked again a second later.
    await until('executions are of the replica', async () => !(await listed(patient)).includes(id));
    await until('transactions are of the replica', async () => {
      const { body } = await get(patient, '/v1/balance/transactions');
      return body.data.every((one: { execution_id: string | null }) => one.execution_id !== id);
    });
  });

  it('does not serve reads that must see an earlier write', async () => {
    const id = await newExecution(patient.context.db, organizationId);
    expect((await get(patient, `/v1/executions/${id}`)).body.id).toBe(id);
    expect(Number((await get(patient, '/v1/balance')).body.held)).toBeGreaterThan(0.02);
    // Nor does a list end because its cursor has not come there.
    expect((await listed(patient, `?cursor=${id}`)).length).toBeGreaterThan(1);
  });

  it('shows no hole in a stream while it is behind', async () => {
    const body = { model: 'poet', input: { prompt: 'a' }, stream: true };
    const { body: created } = await patient.client(key).post('/v1/executions').send(body).expect(202);
    const { id } = created;
    const { db } = owner.context;
    await startExecutions(db, [{ id, connection: 'a', target: 'm' }], 30);
    const writer = { executionId: id, attempt: 1, claims: 0 };
    await takeStream(db, writer, 'text');
    const output = (delta: string) => ({ type: 'output', data: JSON.stringify({ delta }) }) as const;
    const events = [output('Once '), output('upon')];
    const price = { cost: '0', inputTokens: 0, outputTokens: 0 };
    await writeStreamEvents(db, [{ ...writer, eventsBefore: 0, events, ...price }]);
    await patient.client(key).post(`/v1/executions/${id}/cancel`).expect(200);
    await until('executions are of the replica', async () => !(await listed(patient)).includes(id));
    const { text } = await get(patient, `/v1/executions/${id}/stream`);
    expect(text.match(/^id: \d+$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3']);
    expect(text).toContain('"status":"CANCELLED"');
  });

  it('is not used while its lag is too high', async () => {
    const id = await newExecution(strict.context.db, organizationId);
    await until('it is behind', async () => (await listed(strict)).includes(id));
    await replay('resume');
    await until('it has caught up', async () => (await listed(patient)).includes(id));
  });

  it('is never taken for the primary: the gateway refuses all requests until its address leads to that', async () => {
    const way = await openBreakableProxy(asRole(servers.replicaUrl, 'holdfast_gateway'));
    const gateway = await openTestGateway({ ...patient.servers, databaseUrl: way.url });
    const requests = [
      () => gateway.client(key).get('/v1/balance'),
      () =>
        gateway
          .client(key)
          .post('/v1/files/upload')
          .send({ filename: 'a.png', content_type: 'image/png', size_bytes: 1 }),
    ];
    for (const request of requests) {
      const { status, body, headers } = await request();
      expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '2']);
    }
    way.lead(servers.url);
    const statuses = [];
    for (const request of requests) statuses.push((await request()).status);
    expect(statuses).toEqual([200, 201]);
    await gateway.close();
    await way.close();
  });

  it('can be lost: lists come from the primary', async () => {
    await servers.stopReplica();
    const id = await newExecution(patient.context.db, organizationId);
    await until('the primary is read', async () => (await listed(patient)).includes(id));
    for (const path of paths) await get(patient, path);
  });
});
