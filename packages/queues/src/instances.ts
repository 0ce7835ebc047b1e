import { randomUUID } from 'node:crypto';
import type { Logger } from '@holdfast/kit/logger';
import type { TakeTurn } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';
import { type Redis, untilReady } from './connection.ts';

const turnWithinMs = 500;

/**
 * Shares the sweeps of one service out among its copies, on a connection of `connectProducer`: a turn is given once in
 * half an interval, so that ten copies do no more than twice the work of one, and a copy that dies holds nothing up. It
 * saves work and decides nothing: with Redis away everybody has a turn.
 */
export function openSweepTurns(
  redis: Redis,
  service: string,
): (sweep: string, intervalMs: number) => TakeTurn {
  async function take(sweep: string, intervalMs: number): Promise<boolean> {
    const key = `holdfast:turn:${service}:${sweep}`;
    return (await redis.set(key, '1', 'PX', Math.ceil(intervalMs / 2), 'NX')) === 'OK';
  }
  return (sweep, intervalMs) => () =>
    within(turnWithinMs, 'taking a turn', take(sweep, intervalMs)).catch(() => true);
}

const leadWithinMs = 500;
/** Three of the intervals in which readings are made. */
const defaultHoldMs = 45_000;

/**
 * Whether this copy of a service is the one that does something: unlike a turn (see `openTurns`) it stays with the same
 * copy, as long as that one asks at least every `holdMs`. With Redis away everybody is, for nobody can know.
 */
export function openLeadership(redis: Redis, name: string, holdMs = defaultHoldMs): TakeTurn {
  const id = randomUUID();
  const ask = async () => (await redis.eval(takeLead, 1, `holdfast:lead:${name}`, id, holdMs)) === 1;
  return () => within(leadWithinMs, 'asking who leads', ask()).catch(() => true);
}

const takeLead = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** How many copies of a service are there, this one included. */
export type InstanceCount = {
  /** As of some seconds ago; what was last known while Redis is away. */
  count(): number;
  /** Is counted no more. */
  close(): Promise<void>;
};

const announceEveryMs = 1000;
const forgottenAfterS = 10;
const countWithinMs = 1000;

/** Makes itself known to the other copies of a service, on a connection of `connectProducer`. */
export async function openInstanceCount(redis: Redis, service: string, log: Logger): Promise<InstanceCount> {
  const [key, id] = [`holdfast:peers:${service}`, randomUUID()];
  let count = 1;

  async function announce(): Promise<void> {
    try {
      const alive = redis.eval(countPeers, 1, key, id, forgottenAfterS);
      count = Math.max(1, Number(await within(countWithinMs, 'counting peers', alive)));
    } catch (error) {
      log.debug({ err: error }, 'peers could not be counted');
    }
  }

  const announceNow = () => void announce();
  // One that has just begun to connect is not asked in vain, and told when it is there.
  redis.on('ready', announceNow);
  await untilReady(redis, countWithinMs).catch(() => undefined);
  await announce();
  const timer = setInterval(announceNow, announceEveryMs);
  return {
    count: () => count,
    async close() {
      clearInterval(timer);
      redis.off('ready', announceNow);
      if (redis.status !== 'ready') return;
      await within(countWithinMs, 'leaving', redis.zrem(key, id)).catch(() => undefined);
    },
  };
}

/** By the clock of Redis, for those of the copies may differ. */
const countPeers = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`;
