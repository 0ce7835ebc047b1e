import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createLogger } from '@holdfast/kit/logger';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectProducer } from './connection.ts';
import { openLead } from './lead.ts';

const log = createLogger('test', 'silent');
const redis = connectProducer(testRedisUrl(), log);

beforeAll(async () => {
  if (redis.status !== 'ready') await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

describe('the lead', () => {
  it('stays with one copy while it asks for it, and goes to another when it does not', async () => {
    const name = randomUUID();
    const [first, second] = [openLead(redis, name, 60_000), openLead(redis, name, 60_000)];
    expect([await first(), await second(), await first(), await second()]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    await redis.del(`holdfast:lead:${name}`);
    expect([await second(), await first()]).toEqual([true, false]);
  });

  it('ends by itself with a copy that has died', async () => {
    const name = randomUUID();
    const [dying, heir] = [openLead(redis, name, 50), openLead(redis, name, 50)];
    expect(await dying()).toBe(true);
    await until('the heir leads', heir);
    expect(await dying()).toBe(false);
  });

  it('is with everybody while Redis is away', async () => {
    const away = connectProducer('redis://127.0.0.1:1', log);
    expect(await openLead(away, randomUUID(), 1000)()).toBe(true);
    away.disconnect();
  });
});
