import { createLogger } from '@holdfast/kit/logger';
import { connectProducer, untilReady } from '@holdfast/queues/connection';
import { queueNames, settleQueue } from '@holdfast/queues/definitions';
import { pauseQueue } from '@holdfast/queues/inspector';
import { openProducer } from '@holdfast/queues/producer';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdfastHere } from '../testing/holdfast.ts';

let env: NodeJS.ProcessEnv;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  env = { DATABASE_URL: database.url, REDIS_URL: testRedisUrl() };
  await emptyRedis(testRedisUrl());
});
afterAll(() => drop());

describe('holdfast queues', () => {
  it('shows pending work in Redis and in the database', async () => {
    const redis = connectProducer(testRedisUrl(), createLogger('test', 'silent'));
    const producer = openProducer(settleQueue, redis, createLogger('test', 'silent'));
    await new Promise((resolve) => redis.once('ready', resolve));
    await producer.addAll([{ attemptIds: ['att_1'], ok: true }]);
    redis.disconnect();
    const { code, stdout } = await holdfastHere(['queues', '--json'], env);
    expect(code).toBe(0);
    const { queues, backlog } = JSON.parse(stdout);
    expect(queues.map(({ queue }: { queue: string }) => queue)).toEqual(queueNames);
    expect(queues).toContainEqual({
      queue: 'settle',
      waiting: 1,
      active: 0,
      delayed: 0,
      failed: 0,
      is_paused: false,
      oldest_waiting_s: expect.any(Number),
    });
    expect(backlog.pending).toEqual({ count: 0, oldest_s: null });
    const table = await holdfastHere(['queues'], env);
    expect(table.stdout).toMatch(
      /^QUEUE +WAITING[^]+\nsettle +1 +0[^]+\n\nIN THE DATABASE[^]+\nunsettled +0 /,
    );
  });

  it('lists failed jobs and retries them', async () => {
    expect((await holdfastHere(['queues', 'failed', 'settle'], env)).stdout).toBe(
      'There are no failed jobs.\n',
    );
    expect((await holdfastHere(['queues', 'retry', 'settle'], env)).stdout).toBe(
      '0 failed jobs of settle are waiting again.\n',
    );
    const wrong = await holdfastHere(['queues', 'failed', 'everything'], env);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('one of dispatch, recover')]);
  });

  it('resumes a paused queue', async () => {
    const redis = connectProducer(testRedisUrl(), createLogger('test', 'silent'));
    await untilReady(redis, 20_000);
    await pauseQueue(settleQueue, redis);
    redis.disconnect();
    expect((await holdfastHere(['queues'], env)).stdout).toMatch(/^settle .* yes$/m);
    const [first, again] = [
      await holdfastHere(['queues', 'resume', 'settle'], env),
      await holdfastHere(['queues', 'resume', 'settle'], env),
    ];
    expect(first.stdout).toBe('settle is resumed.\n');
    expect(again.stdout).toBe('settle is not paused.\n');
    expect((await holdfastHere(['queues'], env)).stdout).not.toMatch(/^settle .* yes$/m);
  });

  it('shows the database half while Redis is unavailable, and says so in a line without the password', async () => {
    const unavailable = { ...env, REDIS_URL: 'redis://:opensesame@127.0.0.1:1/0' };
    const table = await holdfastHere(['queues'], unavailable);
    expect(table.code).toBe(1);
    expect(table.stdout).toMatch(/^IN THE DATABASE +COUNT[^]+\nunsettled +0 /);
    expect(table.stderr).toMatch(/^holdfast: Redis does not respond: [^\n]*ECONNREFUSED[^\n]*\n$/);
    expect(table.stderr).not.toContain('opensesame');
    const { queues, backlog } = JSON.parse((await holdfastHere(['queues', '--json'], unavailable)).stdout);
    expect([queues, backlog.pending]).toEqual([null, { count: 0, oldest_s: null }]);
  });

  it('shows the queues while the database is unavailable', async () => {
    const unavailable = { ...env, DATABASE_URL: 'postgresql://user:opensesame@127.0.0.1:1/holdfast' };
    const { code, stdout, stderr } = await holdfastHere(['queues'], unavailable);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^QUEUE +WAITING[^]+\nsettle /);
    expect(stderr).toMatch(/^holdfast: queues could not be run: [^\n]*ECONNREFUSED[^\n]*\n$/);
  });
});
