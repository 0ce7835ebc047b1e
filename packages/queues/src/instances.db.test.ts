import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createLogger } from '@holdfast/kit/logger';
import { startRedis } from '@holdfast/local/redis';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectProducer, type Redis } from './connection.ts';
import { type InstanceCount, openInstanceCount, openLeadership, openSweepTurns } from './instances.ts';

describe('turns', () => {
  const log = createLogger('test', 'silent');
  let copies: Redis[];

  beforeAll(async () => {
    copies = Array.from({ length: 5 }, () => connectProducer(testRedisUrl(), log));
    await Promise.all(copies.map((redis) => once(redis, 'ready')));
  });
  afterAll(() => {
    for (const redis of copies) redis.disconnect();
  });

  const given = (turns: boolean[]) => turns.filter(Boolean).length;

  describe('the turns of a sweep', () => {
    it('go to one instance of a service at a time, and again after half an interval', async () => {
      const [redis] = copies as [Redis];
      const turns = copies.map((copy) => openSweepTurns(copy, 'service')('sweep', 60_000));
      const ask = () => Promise.all(turns.map((turn) => turn()));
      expect(given(await ask())).toBe(1);
      expect(given(await ask())).toBe(0);
      const takenForMs = await redis.pttl('holdfast:turn:service:sweep');
      expect(takenForMs).toBeGreaterThan(10_000);
      expect(takenForMs).toBeLessThanOrEqual(30_000);
      await redis.pexpire('holdfast:turn:service:sweep', 1);
      await until('the next turn', async () => given(await ask()) === 1);
    });

    it('are separate for each sweep and service', async () => {
      const [redis] = copies as [Redis];
      const turn = (service: string, sweep: string) => openSweepTurns(redis, service)(sweep, 60_000)();
      expect(await Promise.all([turn('a', 'x'), turn('a', 'y'), turn('b', 'x')])).toEqual([true, true, true]);
      expect(await turn('a', 'x')).toBe(false);
    });

    it.each(['string', 'list'])(
      'go to every instance while the key is a %s of someone else',
      async (type) => {
        const [redis] = copies as [Redis];
        const key = `holdfast:turn:service:${type}`;
        await (type === 'list' ? redis.rpush(key, 'x') : redis.set(key, 'x'));
        const turn = openSweepTurns(redis, 'service')(type, 60_000);
        expect([await turn(), await turn()]).toEqual([true, true]);
      },
    );

    it('go to every instance while Redis is unavailable', async () => {
      const disconnected = connectProducer(testRedisUrl(), log);
      await once(disconnected, 'ready');
      const turn = openSweepTurns(disconnected, 'service')('alone', 60_000);
      disconnected.disconnect();
      expect([await turn(), await turn()]).toEqual([true, true]);
    });
  });
});

describe('lead', () => {
  const log = createLogger('test', 'silent');
  const redis = connectProducer(testRedisUrl(), log);

  beforeAll(async () => {
    if (redis.status !== 'ready') await once(redis, 'ready');
  });
  afterAll(() => redis.disconnect());

  describe('the lead', () => {
    it('stays with one instance while it renews it, and goes to another when it does not', async () => {
      const name = randomUUID();
      const [first, second] = [openLeadership(redis, name, 60_000), openLeadership(redis, name, 60_000)];
      expect([await first(), await second(), await first(), await second()]).toEqual([
        true,
        false,
        true,
        false,
      ]);
      await redis.del(`holdfast:lead:${name}`);
      expect([await second(), await first()]).toEqual([true, false]);
    });

    it('expires when its instance has died', async () => {
      const name = randomUUID();
      const [dying, heir] = [openLeadership(redis, name, 50), openLeadership(redis, name, 60_000)];
      expect(await dying()).toBe(true);
      await until('the heir leads', heir);
      expect(await dying()).toBe(false);
    });

    it('goes to every instance while Redis is unavailable', async () => {
      const disconnected = connectProducer('redis://127.0.0.1:1', log);
      expect(await openLeadership(disconnected, randomUUID(), 1000)()).toBe(true);
      disconnected.disconnect();
    });
  });
});

describe('peers', () => {
  const log = createLogger('test', 'silent');
  let server: Awaited<ReturnType<typeof startRedis>>;
  let service: string;
  let opened: { redis: Redis; peers: InstanceCount }[];

  beforeAll(async () => {
    server = await startRedis({ dir: testFolder('peers'), isDurable: false });
  }, 30_000);
  afterAll(() => server.stop());

  beforeEach(() => {
    service = randomUUID();
    opened = [];
  });
  afterEach(() => Promise.all(opened.map(leave)));

  /** As a service does when it starts: its connection is not there yet. */
  async function join(): Promise<{ redis: Redis; peers: InstanceCount }> {
    const redis = connectProducer(server.url, log);
    const one = { redis, peers: await openInstanceCount(redis, service, log) };
    opened.push(one);
    return one;
  }

  async function leave({ redis, peers }: { redis: Redis; peers: InstanceCount }): Promise<void> {
    await peers.close();
    redis.disconnect();
  }

  const counts = () => opened.map(({ peers }) => peers.count());
  const untilAllCount = (count: number) =>
    until(`all count ${count}`, () => counts().every((one) => one === count));

  describe('the instances of a service', () => {
    it('count earlier ones at once, and later ones soon after', async () => {
      for (const count of [1, 2, 3]) expect((await join()).peers.count()).toBe(count);
      await untilAllCount(3);
      const [last] = opened.splice(2, 1);
      if (last) await leave(last);
      await untilAllCount(2);
    });

    it('are counted separately for each service', async () => {
      await join();
      service = randomUUID();
      expect((await join()).peers.count()).toBe(1);
    });

    it('exclude one that has not reported for long, such as a killed one', async () => {
      const { redis, peers } = await join();
      const key = `holdfast:peers:${service}`;
      const now = Math.floor(Date.now() / 1000);
      await redis.zadd(key, String(now), 'alive', String(now - 60), 'killed');
      await until('the one that is there', () => peers.count() === 2);
      expect(await redis.zrange(key, '0', '-1')).not.toContain('killed');
    });

    it('stay as many as they were while Redis is unavailable, and find each other again afterwards', async () => {
      await join();
      const { redis } = await join();
      await untilAllCount(2);
      process.kill(server.pid, 'SIGSTOP');
      try {
        await until('the outage', () => redis.status !== 'ready');
        expect(counts()).toEqual([2, 2]);
      } finally {
        process.kill(server.pid, 'SIGCONT');
      }
      await until('Redis', () => opened.every((one) => one.redis.status === 'ready'));
      await redis.flushall();
      await untilAllCount(2);
    }, 30_000);

    it('start without Redis, each as if it were the only one', async () => {
      const redis = connectProducer('redis://127.0.0.1:1', log);
      const peers = await openInstanceCount(redis, service, log);
      expect(peers.count()).toBe(1);
      await leave({ redis, peers });
    });
  });
});
