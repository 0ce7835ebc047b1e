import { once } from 'node:events';
import { createServer } from 'node:net';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import { openTestGateway, organizationWithKey, type TestGateway } from '../testing/testGateway.ts';
import { applyTestModels } from '../testing/testModels.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
const limits = { RATE_LIMIT_CREATE_PER_MINUTE: '2', RATE_LIMIT_PER_MINUTE: '3' };

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

async function openLimited(redisUrl: string): Promise<TestGateway> {
  const gateway = await openTestGateway(
    { databaseUrl: database.url, redisUrl, folder: testFolder('files') },
    limits,
  );
  await applyTestModels(gateway.context.db);
  return gateway;
}

function callers(gateway: TestGateway, key: string) {
  return {
    read: (path = '/v1/balance') => gateway.client(key).get(path),
    create: () =>
      gateway
        .client(key)
        .post('/v1/executions')
        .send({ model: 'writer', input: { prompt: 'a' } }),
  };
}

describe('rate limits', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await openLimited(testRedisUrl());
    const { redis } = gateway.context;
    if (redis.status !== 'ready') await once(redis, 'ready');
    await redis.flushdb();
  });

  afterAll(async () => {
    await gateway.close();
  });

  it('count creates and other requests separately, per API key', async () => {
    const { key } = await organizationWithKey(gateway, { balance: '10' });
    const { key: other } = await organizationWithKey(gateway, { balance: '10' });
    const { create, read } = callers(gateway, key);
    const creates = [await create(), await create(), await create()];
    expect(creates.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(creates.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['2', '2', '2']);
    expect(creates.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0']);
    const reads = [await read(), await read('/v1/nothing'), await read('/v1/models'), await read()];
    expect(reads.map(({ status }) => status)).toEqual([200, 404, 200, 429]);
    expect((await callers(gateway, other).create()).status).toBe(202);
  });

  it('count each of several concurrent requests', async () => {
    const { key } = await organizationWithKey(gateway, { balance: '10' });
    const { create, read } = callers(gateway, key);
    const reads = await Promise.all(Array.from({ length: 10 }, () => read()));
    const statuses = reads.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, ...Array(7).fill(429)]);
    const left = reads.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(left.toSorted((a, b) => a - b)).toEqual([...Array(8).fill(0), 1, 2]);
    const { headers } = await read().expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(50);
    expect((await create()).status).toBe(202);
  });

  it('respond with 429 and a Retry-After that agrees with X-RateLimit-Reset', async () => {
    const { key } = await organizationWithKey(gateway);
    const { read } = callers(gateway, key);
    for (let count = 0; count < 3; count += 1) await read().expect(200);
    const askedS = Date.now() / 1000;
    const { body, headers } = await read().expect(429);
    const respondedS = Date.now() / 1000;
    expect(body.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    const afterS = Number(headers['retry-after']);
    expect(afterS).toBeGreaterThan(50);
    expect(afterS).toBeLessThanOrEqual(60);
    const sentS = Number(headers['x-ratelimit-reset']) - afterS;
    expect(sentS).toBeGreaterThanOrEqual(askedS - 2);
    expect(sentS).toBeLessThanOrEqual(respondedS + 2);
  });

  it('are shared by all gateways, per key and per address', async () => {
    const twin = await openLimited(testRedisUrl());
    try {
      if (twin.context.redis.status !== 'ready') await once(twin.context.redis, 'ready');
      const { key } = await organizationWithKey(gateway);
      const [here, there] = [callers(gateway, key), callers(twin, key)];
      const reads = [await here.read(), await there.read(), await here.read(), await there.read()];
      expect(reads.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
      expect(reads[3]?.status).toBe(429);
      await gateway.context.redis.flushdb();
      const ask = (app: TestGateway['app']) => request(app).get('/v1/balance');
      const responses = [
        await ask(gateway.app),
        await ask(twin.app),
        await ask(gateway.app),
        await ask(twin.app),
      ];
      expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
      await gateway.context.redis.flushdb();
    } finally {
      await twin.close();
    }
  });

  it('count requests without a valid key per address', async () => {
    const send = () => request(gateway.app).get('/v1/executions').set('Authorization', 'Bearer nonsense');
    const statuses = [await send(), await send(), await send(), await send()].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('of the admin API are separate from the public API, and per operator', async () => {
    await gateway.context.redis.flushdb();
    const admin = createAdminApp(gateway.context);
    const statusOf = async (app: TestGateway['app'], path: string, token: string) =>
      (await request(app).get(path).auth(token, { type: 'bearer' })).status;
    const publicly = () => statusOf(gateway.app, '/v1/balance', 'nonsense');
    expect([await publicly(), await publicly(), await publicly(), await publicly()]).toEqual([
      401, 401, 401, 429,
    ]);
    const models = '/admin/v1/models';
    const wrongly = () => statusOf(admin, models, 'nonsense');
    expect([await wrongly(), await wrongly(), await wrongly(), await wrongly()]).toEqual([
      401, 401, 401, 429,
    ]);
    const operator = (path = models) => statusOf(admin, path, 'an-admin-token-for-tests');
    const responses = [
      await operator(),
      await operator('/admin/v1/nothing'),
      await operator(),
      await operator(),
    ];
    expect(responses).toEqual([200, 404, 200, 429]);
  });
});

it('requests pass with their headers and are counted by a metric while Redis is unavailable', async () => {
  const unused = createServer();
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  const { port } = unused.address() as { port: number };
  await new Promise((resolve) => unused.close(resolve));
  const gateway = await openLimited(`redis://127.0.0.1:${port}`);
  try {
    const { key } = await organizationWithKey(gateway, { balance: '10' });
    const { create, read } = callers(gateway, key);
    for (let count = 0; count < 5; count += 1) {
      const { headers } = await read().expect(200);
      expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual(['3', '2']);
      expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000);
    }
    await create().expect(202);
    expect(await gateway.context.registry.metrics()).toMatch(/rate_limit_skipped_total\{[^}]*\} 6/);
  } finally {
    await gateway.close();
  }
});
