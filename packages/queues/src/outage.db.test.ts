import { once } from 'node:events';
import { createLogger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { startRedis } from '@holdfast/local/redis';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectProducer, connectWorker } from './connection.ts';
import type { PayloadOf } from './definitions.ts';
import { deliverQueue } from './definitions.ts';
import { openProducer, type Producer } from './producer.ts';
import { startWorker } from './worker.ts';

const log = createLogger('test', 'silent');

const hint = (lane: string) => ({ lane, organizationId: 'org_test' });
let server: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  server = await startRedis({ dir: testFolder('outage'), isDurable: false });
}, 30_000);

afterAll(() => server.stop());

async function withProducer(work: (producer: Producer<PayloadOf<typeof deliverQueue>>) => Promise<void>) {
  const redis = connectProducer(server.url, log);
  await once(redis, 'ready');
  const producer = openProducer(deliverQueue, redis, log);
  await work(producer);
  await producer.close();
  redis.disconnect();
}

/** A Redis that is there but does not response: as with a host that swaps, or a network that drops all. */
async function silenced(work: () => Promise<void>): Promise<void> {
  process.kill(server.pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
}

describe('a Redis that does not respond', () => {
  it('delays a producer for some seconds at most, then no longer', async () => {
    await withProducer(async (producer) => {
      await producer.add(hint('wh_before'));
      await silenced(async () => {
        const first = within(6000, 'the first add', producer.add(hint('wh_first')));
        await expect(first).resolves.toBeUndefined();
        const later = within(100, 'a later add', producer.addAll([hint('wh_later')]));
        await expect(later).resolves.toBeUndefined();
      });
    });
  }, 15_000);

  it('does not keep a service from stopping', async () => {
    const redis = connectWorker(server.url, log);
    await once(redis, 'ready');
    const process = async () => {};
    const worker = startWorker({ queue: deliverQueue, redis, concurrency: 1, log, process });
    await withProducer(async (producer) => {
      await producer.add(hint('wh_one'));
      await silenced(() => expect(within(8000, 'stopping', worker.stop())).resolves.toBeUndefined());
    });
    redis.disconnect();
  }, 15_000);
});
