import { openAdmissionControl } from '@holdfast/queues/admission';
import { connectProducer, untilReady } from '@holdfast/queues/connection';
import { openInspector } from '@holdfast/queues/inspector';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { expect, it } from '@jest/globals';
import type { Context } from '../../command.ts';
import { redisCheck } from './redis.ts';

it.each([
  ['queues', '{holdfast-abort}:abort:active', 'list'],
  ['limits', '{holdfast-limits}:runs:model:m', 'zset'],
])('the check of Redis names a key of the %s that something else has written', async (check, key, type) => {
  await emptyRedis(testRedisUrl());
  const redis = connectProducer(testRedisUrl(), { info() {}, warn() {} });
  await untilReady(redis, 5000);
  await redis.set(key, 'ours');
  const limits = { scopes: [{ name: 'model:m', most: 1 }], rates: [] };
  await openAdmissionControl(redis).admit([
    { executionId: 'exec_1', queue: 'org_1 1', mark: '1', limits, routes: [], stays: false },
  ]);
  const inspector = await openInspector(testRedisUrl());
  const findings = await redisCheck.run({ openInspector: async () => inspector } as unknown as Context);
  expect(findings.filter(({ state }) => state === 'error')).toMatchObject([
    { check, found: `unusable: ${key} is a string, not a ${type}`, runbook: 'HoldfastQueueUnusable' },
  ]);
  await inspector.close();
  redis.disconnect();
});
