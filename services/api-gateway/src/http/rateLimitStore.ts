import { within } from '@holdfast/kit/within';
import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import type { Context } from '../context.ts';

/** A limit that cannot be counted in this time is not waited for. */
const patienceMs = 500;

/**
 * Counts in Redis, for all gateways together. With Redis away every request is the first of its window: it passes, its
 * headers are there, and a metric says so.
 */
export function forgivingStore({ redis, metrics }: Pick<Context, 'redis' | 'metrics'>, name: string): Store {
  let options: Options;
  let opening: Promise<RedisStore> | null = null;

  async function open(): Promise<RedisStore> {
    const store = new RedisStore({
      prefix: `holdfast:limit:${name}:`,
      sendCommand: async (command: string, ...args: string[]) =>
        (await redis.call(command, ...args)) as number | string,
    });
    await store.init(options);
    return store;
  }

  async function count(key: string): Promise<ClientRateLimitInfo> {
    opening ??= open();
    return await (await opening).increment(key);
  }

  return {
    init(given) {
      options = given;
    },
    async increment(key) {
      try {
        return await within(patienceMs, 'counting', count(key));
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
