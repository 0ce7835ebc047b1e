import { randomUUID } from 'node:crypto';
import type { Logger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { type Redis, untilReady } from './connection.ts';

/** How many copies of a service are there, this one included. */
export type Peers = {
  /** As of some seconds ago; what was last known while Redis is away. */
  count(): number;
  /** Is counted no more. */
  close(): Promise<void>;
};

const tellEveryMs = 1000;
const forgottenAfterS = 10;
const answerWithinMs = 1000;

/** Makes itself known to the other copies of a service, on a connection of `connectProducer`. */
export async function openPeers(redis: Redis, service: string, log: Logger): Promise<Peers> {
  const [key, id] = [`holdfast:peers:${service}`, randomUUID()];
  let count = 1;

  async function tell(): Promise<void> {
    try {
      const alive = redis.eval(script, 1, key, id, forgottenAfterS);
      count = Math.max(1, Number(await within(answerWithinMs, 'counting peers', alive)));
    } catch (error) {
      log.debug({ err: error }, 'peers could not be counted');
    }
  }

  const tellNow = () => void tell();
  // One that has just begun to connect is not asked in vain, and told when it is there.
  redis.on('ready', tellNow);
  await untilReady(redis, answerWithinMs).catch(() => undefined);
  await tell();
  const timer = setInterval(tellNow, tellEveryMs);
  return {
    count: () => count,
    async close() {
      clearInterval(timer);
      redis.off('ready', tellNow);
      if (redis.status !== 'ready') return;
      await within(answerWithinMs, 'leaving', redis.zrem(key, id)).catch(() => undefined);
    },
  };
}

/** By the clock of Redis, for those of the copies may differ. */
const script = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`;
