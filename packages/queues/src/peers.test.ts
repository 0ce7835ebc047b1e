import { randomUUID } from 'node:crypto';
import { createLogger } from '@holdfast/kit/logger';
import { startRedis } from '@holdfast/local/redis';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectProducer, type Redis } from './connection.ts';
import { openPeers, type Peers } from './peers.ts';

const log = createLogger('test', 'silent');
let server: Awaited<ReturnType<typeof startRedis>>;
let service: string;
let opened: { redis: Redis; peers: Peers }[];

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
async function join(): Promise<{ redis: Redis; peers: Peers }> {
  const redis = connectProducer(server.url, log);
  const one = { redis, peers: await openPeers(redis, service, log) };
  opened.push(one);
  return one;
}

async function leave({ redis, peers }: { redis: Redis; peers: Peers }): Promise<void> {
  await peers.close();
  redis.disconnect();
}

const counts = () => opened.map(({ peers }) => peers.count());
const untilAllCount = (count: number) =>
  until(`all count ${count}`, () => counts().every((one) => one === count));

describe('the copies of a service', () => {
  it('count those that came before them at once, and those that come later soon after', async () => {
    for (const count of [1, 2, 3]) expect((await join()).peers.count()).toBe(count);
    await untilAllCount(3);
    const [last] = opened.splice(2, 1);
    if (last) await leave(last);
    await untilAllCount(2);
  });

  it('are not counted with those of another service', async () => {
    await join();
    service = randomUUID();
    expect((await join()).peers.count()).toBe(1);
  });

  it('forget one that has said nothing for long, as one does that is killed', async () => {
    const { redis, peers } = await join();
    const key = `holdfast:peers:${service}`;
    const now = Math.floor(Date.now() / 1000);
    await redis.zadd(key, String(now), 'alive', String(now - 60), 'killed');
    await until('the one that is there', () => peers.count() === 2);
    expect(await redis.zrange(key, '0', '-1')).not.toContain('killed');
  });

  it('stay as many as they were while Redis is away, and find each other again after it', async () => {
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

  it('start without Redis, each as if it were alone', async () => {
    const redis = connectProducer('redis://127.0.0.1:1', log);
    const peers = await openPeers(redis, service, log);
    expect(peers.count()).toBe(1);
    await leave({ redis, peers });
  });
});
