import { within } from '@holdfast/kit/within';
import { Queue } from 'bullmq';
import { connectProducer, type Redis, untilReady } from './connection.ts';
import { openQueueControls, type QueueControls } from './controls.ts';
import { type QueueDefinition, queuePrefix } from './definitions.ts';

export type RedisFacts = {
  version: string;
  maxmemoryPolicy: string;
  maxmemoryBytes: number;
  usedBytes: number;
  persistence: string;
  /** The server's clock (Unix ms), read in the middle of `askedMs`. */
  timeMs: number;
  askedMs: { from: number; to: number };
};

/** The controls, on a connection of their own. */
export type Inspector = QueueControls & { facts(): Promise<RedisFacts> };

const responseWithinMs = 5000;
/** BullMQ would print a wrong maxmemory-policy once per queue; `facts` has it. */
const quiet = { skipVersionCheck: true };

// Not the logger, which takes 0.03 s to load.
const silent = { info() {}, warn() {} };

/** @throws when Redis is not reached within 5 s, or refuses the login */
export async function openInspector(url: string): Promise<Inspector> {
  const redis = connectProducer(url, silent);
  try {
    await untilReady(redis, responseWithinMs);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const controls = openQueueControls(redis, quiet);
  const withTimeout = <Result>(work: Promise<Result>) => within(responseWithinMs, 'asking Redis', work);
  return {
    ...controls,
    async facts() {
      const from = Date.now();
      const [seconds, micros] = await withTimeout(redis.time());
      const askedMs = { from, to: Date.now() };
      const timeMs = Number(seconds) * 1000 + Number(micros) / 1000;
      return { ...factsOf(await withTimeout(redis.info())), timeMs, askedMs };
    },
    async close() {
      await controls.close();
      redis.disconnect();
    },
  };
}

function factsOf(info: string): Omit<RedisFacts, 'timeMs' | 'askedMs'> {
  const of = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = of('valkey_version') ? `Valkey ${of('valkey_version')}` : of('redis_version');
  const saves = Number(of('rdb_last_save_time')) > 0;
  return {
    version,
    maxmemoryPolicy: of('maxmemory_policy'),
    maxmemoryBytes: Number(of('maxmemory')),
    usedBytes: Number(of('used_memory')),
    persistence: of('aof_enabled') === '1' ? 'append-only file' : saves ? 'snapshots' : 'none',
  };
}

export async function pauseQueue<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
): Promise<() => Promise<void>> {
  const queue = new Queue(definition.name, { connection: redis, prefix: queuePrefix(definition.name) });
  await queue.pause();
  return async () => {
    await queue.resume();
    await queue.close();
  };
}
