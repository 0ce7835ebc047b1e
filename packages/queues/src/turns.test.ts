import { once } from 'node:events';
import { createLogger } from '@holdfast/kit/logger';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectProducer, type Redis } from './connection.ts';
import { openTurns } from './turns.ts';

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
  it('are given to one copy of a service at a time, and again after half an interval', async () => {
    const turns = copies.map((redis) => openTurns(redis, 'service')('sweep', 400));
    const ask = () => Promise.all(turns.map((turn) => turn()));
    expect(given(await ask())).toBe(1);
    expect(given(await ask())).toBe(0);
    await until('the next turn', async () => given(await ask()) === 1, 2000);
  });

  it('are its own: other sweeps and services have theirs', async () => {
    const [redis] = copies as [Redis];
    const turn = (service: string, sweep: string) => openTurns(redis, service)(sweep, 60_000)();
    expect(await Promise.all([turn('a', 'x'), turn('a', 'y'), turn('b', 'x')])).toEqual([true, true, true]);
    expect(await turn('a', 'x')).toBe(false);
  });

  it("are everybody's while Redis is away", async () => {
    const away = connectProducer(testRedisUrl(), log);
    await once(away, 'ready');
    const turn = openTurns(away, 'service')('alone', 60_000);
    away.disconnect();
    expect([await turn(), await turn()]).toEqual([true, true]);
  });
});
