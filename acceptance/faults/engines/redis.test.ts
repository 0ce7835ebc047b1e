import { auditLedger } from '@holdfast/db/audit/audit';
import { openInspector } from '@holdfast/queues/inspector';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { create, untilEvent, untilStatus } from '../../stack/executions.ts';
import { type Stack, startStack } from '../../stack/stack.ts';
import { redisCli } from './redisCli.ts';
import { startRedisCluster } from './redisCluster.ts';
import { startRedisNode } from './redisNode.ts';
import { startRedisSentinel } from './redisSentinel.ts';
import { strangersFile, tlsFiles, tlsSettings } from './redisTls.ts';

/** Runs one execution of each mode, from the create to its webhook, and uses the other queues and the rate limits. */
async function expectRuns(stack: Stack) {
  const customer = await stack.newCustomer('10');
  await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  const ids = await Promise.all(
    ['sync', 'callback'].map((mode) => create(customer.api, 'sandbox-text', { prompt: 'a', mode })),
  );
  for (const id of ids) {
    await untilStatus(customer.api, id, 'COMPLETED');
    await untilEvent(stack.receiver, id, 'execution.completed');
  }
  // The first top-up opens a new connection, which on a busy machine may take long enough for a 503.
  const path = `/admin/v1/organizations/${customer.organizationId}/top-ups`;
  const { body } = await until('a top-up succeeds', async () => {
    const response = await stack.admin.post(path, { amount: '1' }, { 'idempotency-key': 'once' });
    return response.status === 201 && response;
  });
  expect(body['amount']).toBe('1.00');
  // A limit that is not counted in Redis would never shrink. A count that takes half a second is left out.
  const left = async () =>
    Number((await customer.api.fetch('/v1/balance')).headers.get('x-ratelimit-remaining'));
  await until('requests are counted', async () => {
    const before = await left();
    return (await left()) === before - 1;
  });
}

/** Starts a stack on this Redis, and stops both after the test. */
async function withStack(
  url: string,
  redis: { stop(): Promise<unknown> },
  test: (stack: Stack) => Promise<void>,
): Promise<void> {
  const stack = await startStack({ REDIS_URL: url });
  try {
    await test(stack);
  } finally {
    await stack.close();
    await redis.stop();
  }
}

describe('a Redis Cluster of three masters', () => {
  it('runs executions end to end, with keys on every node', async () => {
    const cluster = await startRedisCluster();
    await withStack(cluster.url, cluster, async (stack) => {
      await expectRuns(stack);
      const inspector = await openInspector(cluster.url);
      const depths = await inspector.depths();
      expect(depths.map(({ failed }) => failed)).toEqual(depths.map(() => 0));
      await inspector.close();
      expect(Math.min(...(await cluster.sizes()))).toBeGreaterThan(0);
    });
  }, 60_000);

  it('can be emptied under load without a lost execution', async () => {
    const cluster = await startRedisCluster();
    await withStack(cluster.url, cluster, async (stack) => {
      const customer = await stack.newCustomer('10');
      const ids = await createMany(customer, 20, async () => {
        for (const { port } of cluster.nodes) await cluster.ask(port, 'FLUSHALL');
      });
      for (const id of ids) await untilEnded(customer, id);
      expect(await auditLedger(stack.db)).toEqual([]);
    });
  }, 120_000);
});

describe('a Redis Cluster that moves slots', () => {
  it('keeps serving while the slots of queues and limits change their master under load', async () => {
    const cluster = await startRedisCluster();
    await withStack(cluster.url, cluster, async (stack) => {
      const customer = await stack.newCustomer('10');
      const ids = await createMany(customer, 40, async () => {
        const keys = ['dispatch', 'settle', 'fanout', 'deliver', 'callback', 'limits'];
        for (const name of keys) await cluster.moveSlotOf(`{holdfast-${name}}`);
      });
      for (const id of ids) await untilEnded(customer, id);
      expect(await auditLedger(stack.db)).toEqual([]);
      await expectRuns(stack);
    });
  }, 120_000);
});

describe('a Redis Cluster with a replica of each master', () => {
  it('fails over under load without a lost execution', async () => {
    const cluster = await startRedisCluster({ replicas: 1 });
    await withStack(cluster.url, cluster, async (stack) => {
      const customer = await stack.newCustomer('10');
      const [master, other] = cluster.nodes;
      const ids = await createMany(customer, 40, async () => master?.kill());
      await until(
        'a replica has taken over',
        async () => {
          const known = await cluster.ask(other?.port ?? 0, 'CLUSTER', 'NODES');
          return known.split('\n').filter((line) => /master -/.test(line) && !/fail/.test(line)).length === 3;
        },
        30_000,
      );
      for (const id of ids) await untilEnded(customer, id);
      expect(await auditLedger(stack.db)).toEqual([]);
      await expectRuns(stack);
    });
  }, 120_000);
});

describe('Redis with sentinels', () => {
  it('fails over under load without a lost execution', async () => {
    const redis = await startRedisSentinel();
    const [master] = redis.nodes;
    await withStack(redis.url, redis, async (stack) => {
      await expectRuns(stack);
      const customer = await stack.newCustomer('10');
      const ids = await createMany(customer, 40, async () => master?.kill());
      await until('the replica is the master', async () => (await redis.masterPort()) !== master?.port);
      for (const id of ids) await untilEnded(customer, id);
      expect(await auditLedger(stack.db)).toEqual([]);
      await expectRuns(stack);
    });
  }, 120_000);

  it('is reached when the first sentinel accepts connections and does not respond', async () => {
    const redis = await startRedisSentinel();
    const [first] = redis.sentinels;
    first?.signal('SIGSTOP');
    const inspector = await openInspector(redis.url);
    expect(await inspector.facts()).toMatchObject({ maxmemoryPolicy: 'noeviction' });
    await inspector.close();
    first?.signal('SIGCONT');
    await redis.stop();
  }, 60_000);
});

describe('Redis over TLS', () => {
  it('runs executions end to end with a configured authority', async () => {
    const pair = tlsFiles();
    const redis = await startRedisNode([...tlsSettings(pair), 'requirepass secret']);
    await withStack(`rediss://:secret@127.0.0.1:${redis.port}/1?cafile=${pair.certFile}`, redis, expectRuns);
  }, 60_000);

  it('is refused without a trusted certificate, or with a certificate for another name', async () => {
    const { certFile, keyFile } = tlsFiles();
    const redis = await startRedisNode([...tlsSettings({ certFile, keyFile }), 'requirepass secret']);
    const dial = (host: string, query: string) =>
      openInspector(`rediss://:secret@${host}:${redis.port}/1${query}`);
    await expect(dial('127.0.0.1', '')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await expect(dial('127.0.0.1', `?cafile=${strangersFile()}`)).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    await expect(dial('localhost', `?cafile=${certFile}`)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    await redis.stop();
  });

  it('gets a client certificate if it requires one, and is trusted by one of two authorities', async () => {
    const pair = tlsFiles();
    const redis = await startRedisNode([...tlsSettings(pair, { asks: true }), 'requirepass secret']);
    const url = `rediss://:secret@127.0.0.1:${redis.port}/1?cafile=${strangersFile(pair.certFile)}`;
    await expect(openInspector(url)).rejects.toThrow();
    await withStack(`${url}&certfile=${pair.certFile}&keyfile=${pair.keyFile}`, redis, expectRuns);
  }, 60_000);

  it('works with sentinels and the master that they name', async () => {
    const redis = await startRedisSentinel({ tls: tlsFiles() });
    await withStack(redis.url, redis, expectRuns);
  }, 60_000);

  it('works with every node of a cluster', async () => {
    const pair = tlsFiles();
    const cluster = await startRedisCluster({ tls: pair });
    await withStack(cluster.url, cluster, expectRuns);
  }, 60_000);
});

describe('the password of Redis', () => {
  it('can be rotated under load, as docs/rotation.md describes', async () => {
    const redis = await startRedisNode(['requirepass old']);
    const urlWith = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}/0`;
    await withStack(urlWith('old'), redis, async (stack) => {
      const customer = await stack.newCustomer('10');
      await redisCli(redis.port, 'old', 'ACL', 'SETUSER', 'default', '>new');
      const ids = await createMany(customer, 20, async () => {
        for (const name of ['dispatcher', 'ledger', 'webhook-sender', 'api-gateway'] as const) {
          await stack.services.stop(name);
          await stack.services.start(name, { REDIS_URL: urlWith('new') });
        }
        await redisCli(redis.port, 'new', 'ACL', 'SETUSER', 'default', '<old');
      });
      await expect(redisCli(redis.port, 'old', 'PING')).resolves.toMatch(/NOAUTH|WRONGPASS/);
      for (const id of ids) await untilEnded(customer, id);
      await expectRuns(stack);
    });
  }, 60_000);
});

type Customer = Awaited<ReturnType<Stack['newCustomer']>>;

/** Creates `count` executions, and calls `midway` halfway. */
async function createMany(customer: Customer, count: number, midway: () => Promise<unknown>) {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const input = { prompt: `${index}`, delay_ms: 300, mode: index % 2 ? 'sync' : 'callback' };
    ids.push(await create(customer.api, 'sandbox-text', input));
    if (index === count / 2) await midway();
  }
  return ids;
}

function untilEnded({ api }: Customer, id: string) {
  return until(
    `${id} ends`,
    async () => (await api.get(`/v1/executions/${id}`)).body['status'] === 'COMPLETED',
    60_000,
  );
}
