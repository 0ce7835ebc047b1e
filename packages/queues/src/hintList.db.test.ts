import { createLogger } from '@holdfast/kit/logger';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectProducer, connectWorker, type Redis, untilReady } from './connection.ts';
import { fanoutQueue, type PayloadOf } from './definitions.ts';
import { readDepth } from './depth.ts';
import { pushHints } from './hintList.ts';
import { pauseQueue } from './inspector.ts';
import { openProducer, openQueue } from './producer.ts';
import { type QueueWorker, startWorker } from './worker.ts';

const log = createLogger('test', 'silent');
let redis: Redis;
let working: Redis;
let workers: QueueWorker[];
let taken: string[];

/** Those of the readers: other tests use other databases of the same server. */
async function cutConnections(): Promise<void> {
  const own = `id=${await redis.client('ID')} `;
  const database = ` db=${new URL(testRedisUrl()).pathname.slice(1)} `;
  const clients = String(await redis.call('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n');
  for (const client of clients.filter((one) => one.includes(database) && !one.startsWith(own))) {
    await redis.client('KILL', 'ID', /^id=(\d+)/.exec(client)?.[1] ?? '');
  }
}

beforeEach(async () => {
  await emptyRedis(testRedisUrl());
  [redis, working, workers, taken] = [
    connectProducer(testRedisUrl(), log),
    connectWorker(testRedisUrl(), log),
    [],
    [],
  ];
  await untilReady(redis, 20_000);
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  for (const connection of [redis, working]) connection.disconnect();
});

const hint = (id: string) => ({ eventIds: [id] });
const push = (id: string) => pushHints(redis, fanoutQueue, [hint(id)]);
const jobs = () => openQueue(fanoutQueue.name, redis)().getWaitingCount();

function startReader(process: (payload: PayloadOf<typeof fanoutQueue>) => Promise<void> = take): QueueWorker {
  const worker = startWorker({ queue: fanoutQueue, redis: working, concurrency: 4, log, process });
  workers.push(worker);
  return worker;
}

async function take({ eventIds }: PayloadOf<typeof fanoutQueue>): Promise<void> {
  taken.push(...eventIds);
}

describe('a hint', () => {
  it('goes to a waiting reader and becomes no job', async () => {
    startReader();
    await until('a reader', () => push('evt_first'));
    const producer = openProducer(fanoutQueue, redis, log);
    await producer.addAll([hint('evt_second')]);
    await until('hints', () => taken.includes('evt_second'));
    expect(taken.filter((id) => id === 'evt_second')).toHaveLength(1);
    expect(await redis.exists('{holdfast-fanout}:fanout:id')).toBe(0);
    await producer.close();
  });

  it('becomes a job while no process reads the list', async () => {
    expect(await push('evt_1')).toBe(false);
    const producer = openProducer(fanoutQueue, redis, log);
    await producer.addAll([hint('evt_1')]);
    expect(await jobs()).toBe(1);
    startReader();
    await until('hints', () => taken.includes('evt_1'));
    await producer.close();
  });

  it('becomes a job while the queue is paused', async () => {
    startReader();
    await until('a reader', () => push('evt_first'));
    const resume = await pauseQueue(fanoutQueue, redis);
    expect(await push('evt_second')).toBe(false);
    const producer = openProducer(fanoutQueue, redis, log);
    await producer.addAll([hint('evt_second')]);
    expect(taken).not.toContain('evt_second');
    await resume();
    await until('hints', () => taken.includes('evt_second'));
    await producer.close();
  });

  it('is tried again as a job when its work fails', async () => {
    let failures = 1;
    startReader(async (payload) => {
      if (payload.eventIds.includes('evt_failing') && failures-- > 0) throw new Error('no database');
      await take(payload);
    });
    await until('a reader', () => push('evt_failing'));
    await until('hints', () => taken.includes('evt_failing'));
    expect(failures).toBeLessThanOrEqual(0);
  });

  it('stays in the list for the next reader when the reader stops', async () => {
    const first = startReader();
    await until('a reader', () => push('evt_0'));
    const ids = Array.from({ length: 200 }, (_, index) => `evt_${index + 1}`);
    const pushed = Promise.all(ids.map(push));
    await first.stop();
    expect(await pushed).not.toContain(false);
    expect(
      (await readDepth(openQueue(fanoutQueue.name, redis)(), redis)).waiting + taken.length,
    ).toBeGreaterThan(200);
    startReader();
    await until('hints', () => ids.every((id) => taken.includes(id)));
  });

  it('is left to another process when it arrives while its reader stops', async () => {
    const first = startReader();
    await until('a reader', () => push('evt_first'));
    await until('hints', () => taken.includes('evt_first'));
    const pushed = push('evt_late');
    await first.stop();
    expect([await pushed, taken]).toEqual([true, ['evt_first']]);
    startReader();
    await until('hints', () => taken.includes('evt_late'));
  });

  it('leaves nothing in Redis for a reader that stops without being able to read', async () => {
    const first = startReader();
    await until('a reader', () => push('evt_first'));
    await cutConnections();
    await until('Redis', () => working.status === 'ready');
    await first.stop();
    const left = await redis.keys('*:stop:*');
    const ttls = await Promise.all(left.map((key) => redis.pttl(key)));
    // -2: it has expired since.
    expect(ttls).not.toContain(-1);
  });

  it('that was left in the list waits while the queue is paused', async () => {
    const gate = Promise.withResolvers<void>();
    startReader(async (payload) => {
      await take(payload);
      await gate.promise;
    });
    await until('a reader', () => push('evt_0'));
    const ids = Array.from({ length: 9 }, (_, index) => `evt_${index + 1}`);
    await pushHints(redis, fanoutQueue, ids.map(hint));
    await until('hints', () => taken.length === 4);
    const resume = await pauseQueue(fanoutQueue, redis);
    gate.resolve();
    await until('the reader looks at the queue', async () => {
      const { calls = '0' } =
        /cmdstat_hexists:calls=(?<calls>\d+)/.exec(await redis.info('commandstats'))?.groups ?? {};
      return Number(calls) >= 6;
    });
    expect(taken).toHaveLength(4);
    await resume();
    await until('hints', () => ids.every((id) => taken.includes(id)));
  });

  it('is read after the connections of the reader were lost', async () => {
    startReader();
    await until('a reader', () => push('evt_before'));
    await cutConnections();
    await until('a reader again', () => push('evt_after').catch(() => false));
    await until('hints', () => taken.includes('evt_after'));
  });

  it('waits while as many are in work as may be, and counts as a waiting job', async () => {
    const gate = Promise.withResolvers<void>();
    startReader(async (payload) => {
      await take(payload);
      await gate.promise;
    });
    await until('a reader', () => push('evt_0'));
    const ids = Array.from({ length: 9 }, (_, index) => `evt_${index + 1}`);
    await pushHints(redis, fanoutQueue, ids.map(hint));
    await until('hints', () => taken.length === 4);
    const depth = await readDepth(openQueue(fanoutQueue.name, redis)(), redis);
    expect(depth.waiting).toBeGreaterThanOrEqual(6);
    expect(depth.oldestWaitingMs).toBeGreaterThanOrEqual(0);
    gate.resolve();
    await until('hints', () => ids.every((id) => taken.includes(id)));
  });
});
