import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createLogger } from '@holdfast/kit/logger';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectProducer, type Redis } from './connection.ts';
import { openHitCounter } from './hitCounter.ts';

const log = createLogger('test', 'silent');
const window = { windowMs: 60_000, timeoutMs: 5000 };
let redis: Redis;

beforeAll(async () => {
  redis = connectProducer(testRedisUrl(), log);
  if (redis.status !== 'ready') await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

const keyOf = (name: string) => `test:hits:${randomUUID()}:${name}`;

it('concurrent hits of two keys are counted one after another, each key for itself', async () => {
  const count = openHitCounter(redis, window);
  const [a, b] = [keyOf('a'), keyOf('b')];
  const counted = await Promise.all([a, b, a, a, b].map(count));
  expect(counted.map(({ hits }) => hits)).toEqual([1, 1, 2, 3, 2]);
  expect((await count(a)).hits).toBe(4);
});

it('two processes count the hits of a key together, in one window', async () => {
  const [here, there] = [openHitCounter(redis, window), openHitCounter(redis, window)];
  const key = keyOf('shared');
  const first = await here(key);
  const second = await there(key);
  expect([first.hits, second.hits]).toEqual([1, 2]);
  expect(Math.abs(second.resetAtMs - first.resetAtMs)).toBeLessThan(1000);
});

it('a new window starts when the last one has ended', async () => {
  const count = openHitCounter(redis, { ...window, windowMs: 100 });
  const key = keyOf('short');
  await Promise.all([count(key), count(key)]);
  await until('the end of the window', async () => (await redis.exists(key)) === 0, 5000);
  expect((await count(key)).hits).toBe(1);
});

it('a hit that Redis does not count in time is refused', async () => {
  const blocked = connectProducer(testRedisUrl(), log);
  await once(blocked, 'ready');
  const count = openHitCounter(blocked, { ...window, timeoutMs: 50 });
  // The connection responds in order.
  const blocking = blocked.blpop(keyOf('empty'), 5).catch(() => null);
  await expect(count(keyOf('late'))).rejects.toThrow('took longer');
  blocked.disconnect();
  await blocking;
});
