import { createLogger } from '@holdfast/kit/logger';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectProducer, type Redis, untilReady } from './connection.ts';
import { abortQueue } from './definitions.ts';
import { countReadyJobs, readDepth } from './depth.ts';
import { pauseQueue } from './inspector.ts';
import { openProducer, openQueue } from './producer.ts';

let redis: Redis;
beforeAll(async () => {
  await emptyRedis(testRedisUrl());
  redis = connectProducer(testRedisUrl(), createLogger('test', 'silent'));
  await untilReady(redis, 20_000);
});
afterAll(() => redis.disconnect());

describe('the jobs of a paused queue', () => {
  it('wait without a problem being reported', async () => {
    const producer = openProducer(abortQueue, redis, createLogger('test', 'silent'));
    const queue = openQueue(abortQueue.name, redis)();
    const resume = await pauseQueue(abortQueue, redis);
    await producer.add({ executionId: 'exec_of_a_paused_queue' });
    expect(await readDepth(queue, redis)).toMatchObject({
      waiting: 1,
      isPaused: true,
      oldestWaitingMs: expect.any(Number),
    });
    expect(await countReadyJobs(queue, redis)).toBe(0);
    await resume();
    expect(await countReadyJobs(queue, redis)).toBe(1);
    await producer.close();
  });
});

describe('a queue with a key that something else has written', () => {
  it('is reported with the key, and its worker with no problem, whichever key it is', async () => {
    const queue = openQueue(abortQueue.name, redis)();
    await queue.waitUntilReady();
    for (const name of ['wait', 'active', 'delayed', 'meta', 'events', 'marker']) {
      const key = `{holdfast-abort}:abort:${name}`;
      await redis.del(key);
      await redis.rpush('{holdfast-abort}:list', 'x');
      await (name === 'wait' || name === 'active'
        ? redis.set(key, 'x')
        : redis.rename('{holdfast-abort}:list', key));
      const { foreignKeys, ...depth } = await readDepth(queue, redis);
      expect(foreignKeys).toMatchObject([{ key }]);
      expect(depth).toMatchObject({ queue: 'abort', waiting: 0, isPaused: false });
      await redis.del(key, '{holdfast-abort}:list');
    }
    expect((await readDepth(queue, redis)).foreignKeys).toEqual([]);
  });

  it('counts no jobs as ready, because no worker can take them', async () => {
    const producer = openProducer(abortQueue, redis, createLogger('test', 'silent'));
    await producer.add({ executionId: 'exec_that_no_worker_takes' });
    const queue = openQueue(abortQueue.name, redis)();
    expect(await countReadyJobs(queue, redis)).toBe(1);
    await redis.set('{holdfast-abort}:abort:active', 'x');
    expect(await countReadyJobs(queue, redis)).toBe(0);
    await redis.del('{holdfast-abort}:abort:active');
    await producer.close();
  });
});
