import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@holdfast/kit/logger';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { connectProducer, connectWorker } from './connection.ts';
import { queueNames, queuePrefix, settleQueue } from './definitions.ts';
import { type Inspector, openInspector } from './inspector.ts';
import { openProducer } from './producer.ts';

const log = createLogger('test', 'silent');
let inspector: Inspector;
let redis: ReturnType<typeof connectProducer>;

beforeAll(async () => {
  await emptyRedis(testRedisUrl());
  redis = connectProducer(testRedisUrl(), log);
  inspector = await openInspector(testRedisUrl());
});
afterAll(async () => {
  await inspector.close();
  redis.disconnect();
});

const depth = async (name: string) => (await inspector.depths()).find(({ queue }) => queue === name);

describe('the inspector', () => {
  it('lists every defined queue', () => {
    const text = readFileSync(join(import.meta.dirname, 'definitions.ts'), 'utf8');
    const defined = [...text.matchAll(/= defineQueue\(\{\s+name: '([\w-]+)'/g)].map(([, name]) => name);
    expect(new Set(queueNames)).toEqual(new Set(defined));
  });

  it('shows waiting jobs and whether the queue is paused', async () => {
    const producer = openProducer(settleQueue, redis, log);
    const queue = new Queue('settle', { connection: redis, prefix: queuePrefix('settle') });
    await queue.waitUntilReady();
    expect(await depth('settle')).toMatchObject({ waiting: 0, isPaused: false, oldestWaitingMs: null });
    await producer.addAll([{ attemptIds: ['att_1'], ok: true }]);
    expect(await depth('settle')).toMatchObject({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    await queue.pause();
    const paused = await depth('settle');
    expect(paused).toMatchObject({ waiting: 1, isPaused: true });
    expect(paused?.oldestWaitingMs).toBeGreaterThanOrEqual(0);
    await queue.resume();
    await queue.close();
  });

  it('lists failed jobs with their reasons, and retries them', async () => {
    const prefix = queuePrefix('adjust');
    const queue = new Queue('adjust', { connection: redis, prefix });
    const workerRedis = connectWorker(testRedisUrl(), log);
    const refuse = () => Promise.reject(new Error('the ledger is locked'));
    const worker = new Worker('adjust', refuse, { connection: workerRedis, prefix });
    const failed = new Promise((resolve) => worker.once('failed', resolve));
    await queue.add('adjust', {}, { jobId: 'req_1' });
    await failed;
    await worker.close();
    workerRedis.disconnect();
    expect(await inspector.failed('adjust', 10)).toEqual([
      { id: 'req_1', reason: 'the ledger is locked', failedAt: expect.any(Date), tries: 1 },
    ]);
    expect(await inspector.retryFailed('adjust')).toBe(1);
    expect(await depth('adjust')).toMatchObject({ waiting: 1, failed: 0 });
    expect(await inspector.retryFailed('adjust')).toBe(0);
    await queue.close();
  });

  it('reads the facts of the server', async () => {
    const beforeMs = Date.now();
    const facts = await inspector.facts();
    const afterMs = Date.now();
    expect(facts.version).toMatch(/^\D*\d+\.\d+/);
    expect(facts.maxmemoryPolicy).toBe('noeviction');
    expect(facts.timeMs).toBeGreaterThanOrEqual(beforeMs - 1);
    expect(facts.timeMs).toBeLessThanOrEqual(afterMs + 1);
  });

  it('fails at once when Redis is not running', async () => {
    await expect(openInspector('redis://127.0.0.1:1')).rejects.toThrow('ECONNREFUSED');
  });
});
