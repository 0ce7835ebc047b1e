import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { startRedis } from '@holdfast/local/redis';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
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
        await expect(later).resolves.toBe(false);
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

/** A sentinel of this master; it can be made to respond late, and to report a failover. */
async function startSentinel(masterUrl: string) {
  const { port, username, password } = new URL(masterUrl);
  const watching = new Set<Socket>();
  let released = Promise.resolve();
  const bulk = (...texts: string[]) => texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('');
  const replies: Record<string, () => string> = {
    HELLO: () => `%1\r\n${bulk('server', 'redis')}`,
    SUBSCRIBE: () => `>3\r\n${bulk('subscribe', '+switch-master')}:1\r\n`,
    'GET-MASTER-ADDR-BY-NAME': () => `*2\r\n${bulk('127.0.0.1', port)}`,
    SENTINELS: () => '*0\r\n',
  };
  async function respond(socket: Socket, received: string): Promise<void> {
    for (const [command] of received.matchAll(/\*\d+\r\n(?:\$\d+\r\n[^\r]*\r\n)+/g)) {
      const name = Object.keys(replies).find((one) => command.toUpperCase().includes(`\r\n${one}\r\n`));
      if (name === 'SUBSCRIBE') watching.add(socket);
      if (name === 'GET-MASTER-ADDR-BY-NAME') await released;
      socket.write(name ? (replies[name]?.() ?? '') : '+OK\r\n');
    }
  }
  const server = createServer((socket) => {
    socket.setEncoding('latin1').on('error', () => socket.destroy());
    socket.on('close', () => watching.delete(socket));
    socket.on('data', (received: string) => void respond(socket, received));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis+sentinel://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}/main`,
    isWatched: () => watching.size > 0,
    /** Returns a function that lets it respond again. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      return resolve;
    },
    reportFailover() {
      for (const socket of watching)
        socket.write(`>3\r\n${bulk('message', '+switch-master', 'main 127.0.0.1 1 127.0.0.1 2')}`);
    },
    close: () => server.close(),
  };
}

describe('a Redis behind sentinels', () => {
  it('is reached again when a failover is reported while its new master is looked up', async () => {
    const sentinel = await startSentinel(server.url);
    const redis = connectProducer(sentinel.url, log);
    await once(redis, 'ready');
    await until('the sentinel is watched', sentinel.isWatched);
    const release = sentinel.hold();
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no').catch(() => {});
    await until('it connects again', () => redis.status === 'connecting');
    sentinel.reportFailover();
    // Longer than the report takes.
    await sleep(100);
    release();
    await within(5000, 'connecting again', once(redis, 'ready'));
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
    sentinel.close();
  }, 15_000);
});
