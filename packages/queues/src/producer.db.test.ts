import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@holdfast/kit/logger';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { connectProducer, connectWorker, type Redis, untilReady } from './connection.ts';
import { deliverQueue, fanoutJobs, fanoutQueue, testCallQueue } from './definitions.ts';
import { openProducer, openQueue } from './producer.ts';
import { openRequester } from './request.ts';
import { startWorker } from './worker.ts';

const log = createLogger('test', 'silent');

const hint = (lane: string) => ({ lane, organizationId: 'org_test' });

beforeEach(() => emptyRedis(testRedisUrl()));

describe('a producer', () => {
  it('works once Redis is reached when it was opened before', async () => {
    const redis = connectProducer(testRedisUrl(), log);
    const producer = openProducer(deliverQueue, redis, log);
    await producer.add(hint('wh_lost'));
    await new Promise((resolve) => redis.once('ready', resolve));
    await producer.add(hint('wh_found'));
    expect(await openQueue(deliverQueue.name, redis)().getWaitingCount()).toBe(1);
    await producer.close();
    redis.disconnect();
  });
});

describe('a job', () => {
  it('carries the ids of many hints to one worker, and is tried again when its work fails', async () => {
    const [producing, working] = [connectProducer(testRedisUrl(), log), connectWorker(testRedisUrl(), log)];
    await untilReady(producing, 20_000);
    const producer = openProducer(fanoutQueue, producing, log);
    const eventIds = Array.from({ length: 256 }, (_, index) => `evt_${index}`);
    await producer.addAll(fanoutJobs({ eventIds, deliveryIds: [] }));
    expect(await openQueue(fanoutQueue.name, producing)().getWaitingCount()).toBe(1);
    const tries: string[][] = [];
    const worker = startWorker({
      queue: fanoutQueue,
      redis: working,
      concurrency: 4,
      log,
      async process(job) {
        tries.push(job.eventIds);
        if (tries.length === 1) throw new Error('no database');
      },
    });
    await until('the second try', () => tries.length === 2);
    expect(tries).toEqual([eventIds, eventIds]);
    await worker.stop();
    await producer.close();
    for (const redis of [producing, working]) redis.disconnect();
  });
});

/** What BullMQ calls of a connection. */
type Connection = {
  duplicate(...args: unknown[]): Connection;
  sendCommand(command: { name: string }, ...others: unknown[]): unknown;
};

describe('a requester', () => {
  const call = { requestId: 'req_1', endpointId: 'wh_1', organizationId: 'org_1', traceparent: null };

  async function request(listening: Redis, workMs: number): Promise<unknown> {
    const [producing, working] = [connectProducer(testRedisUrl(), log), connectWorker(testRedisUrl(), log)];
    const requester = openRequester(testCallQueue, producing, listening);
    const worker = startWorker({
      queue: testCallQueue,
      redis: working,
      concurrency: 1,
      log,
      process: async ({ endpointId }) => {
        await delay(workMs);
        return { endpointId };
      },
    });
    await once(producing, 'ready');
    const result = await requester.request(call, 10_000);
    await requester.close();
    await worker.stop();
    for (const redis of [producing, listening, working]) redis.disconnect();
    return result;
  }

  it('returns results once Redis is reached when it was opened before', async () => {
    const listening = connectWorker(testRedisUrl(), log);
    expect(await request(listening, 0)).toEqual({ endpointId: 'wh_1' });
  });

  it('returns a result that came before it began to read what happens', async () => {
    const listening = connectWorker(testRedisUrl(), log);
    const connection = listening as unknown as Connection;
    const duplicate = connection.duplicate.bind(connection);
    connection.duplicate = (...args) => {
      const reading = duplicate(...args);
      const send = reading.sendCommand.bind(reading);
      reading.sendCommand = (command, ...others) => {
        if (command.name !== 'xread') return send(command, ...others);
        reading.sendCommand = send;
        return delay(500).then(() => send(command, ...others));
      };
      return reading;
    };
    expect(await request(listening, 200)).toEqual({ endpointId: 'wh_1' });
  });
});
