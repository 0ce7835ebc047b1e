import { createBatcher } from '@holdfast/kit/batcher';
import { within } from '@holdfast/kit/within';
import { callScripts } from '@holdfast/queues/admission';
import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import type { Context } from '../context.ts';

/** A limit that cannot be counted in this time is not waited for. */
const patienceMs = 500;

/**
 * Counts in Redis, for all gateways together; requests of one key that come while it is being counted are counted
 * together. With Redis away every request is the first of its window: it passes, its headers are there, and a metric
 * says so.
 */
export function forgivingStore({ redis, metrics }: Pick<Context, 'redis' | 'metrics'>, name: string): Store {
  const prefix = `holdfast:limit:${name}:`;
  let options: Options;
  let opening: Promise<RedisStore> | null = null;

  async function open(): Promise<RedisStore> {
    const store = new RedisStore({
      prefix,
      sendCommand: async (command: string, ...args: string[]) =>
        (await callScripts(redis, command, args)) as number | string,
    });
    await store.init(options);
    return store;
  }

  /** Counts `hits` requests of a key; answers what the first of them is told. */
  async function countHits(key: string, hits: number): Promise<ClientRateLimitInfo> {
    opening ??= open();
    const first = await (await opening).increment(key);
    if (hits > 1) {
      await redis.incrby(prefix + key, hits - 1);
      // Should its window have ended in between, this is the first of a new one.
      await redis.pexpire(prefix + key, options.windowMs, 'NX');
    }
    return first;
  }

  const batcher = createBatcher<string, ClientRateLimitInfo>({
    maxSize: 1000,
    async run(keys) {
      const byKey = Map.groupBy(keys.keys(), (index) => keys[index] ?? '');
      const infos: ClientRateLimitInfo[] = [];
      await Promise.all(
        [...byKey].map(async ([key, indexes]) => {
          const { totalHits, resetTime } = await countHits(key, indexes.length);
          indexes.forEach((index, nth) => {
            infos[index] = { totalHits: totalHits + nth, resetTime };
          });
        }),
      );
      return infos;
    },
  });

  return {
    init(given) {
      options = given;
    },
    async increment(key) {
      try {
        return await within(patienceMs, 'counting', batcher.add(key));
      } catch {
        opening = null;
        metrics.unlimited.inc();
        return { totalHits: 1, resetTime: new Date(Date.now() + options.windowMs) };
      }
    },
    decrement: () => {},
    resetKey: () => {},
  };
}
