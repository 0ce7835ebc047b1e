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
    expect(await countReadyJobs(queue)).toBe(0);
    await resume();
    expect(await countReadyJobs(queue)).toBe(1);
    await producer.close();
  });
});
