import { randomUUID } from 'node:crypto';
import type { Logger } from '@holdfast/kit/logger';
import type { TakeTurn, TurnOf } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';
import { type Redis, untilReady } from './connection.ts';

const responseWithinMs = 500;

/**
 * One run per half interval over all instances, so a dead one blocks nothing. Without Redis every instance runs, and so it does
 * if its key is not ours: without an expiry it would stop the sweep for good.
 */
export function openSweepTurns(redis: Redis, service: string): TurnOf {
  async function take(sweep: string, intervalMs: number): Promise<boolean> {
    const key = `holdfast:turn:${service}:${sweep}`;
    if ((await redis.set(key, '1', 'PX', Math.ceil(intervalMs / 2), 'NX')) === 'OK') return true;
    return (await redis.pttl(key)) === -1;
  }
  return (sweep, intervalMs) => () =>
    within(responseWithinMs, 'taking a turn', take(sweep, intervalMs)).catch(() => true);
}

/** Three intervals of gauge readings. */
const defaultHoldMs = 45_000;

/** Whether this instance leads, until `holdMs` after it last asked. Without Redis every instance leads. */
export function openLeadership(redis: Redis, name: string, holdMs = defaultHoldMs): TakeTurn {
  const id = randomUUID();
  const lead = async () => (await redis.eval(takeLead, 1, `holdfast:lead:${name}`, id, holdMs)) === 1;
  return () => within(responseWithinMs, 'reading the leader', lead()).catch(() => true);
}

const takeLead = `
local holder = redis.call('GET', KEYS[1])
if holder and redis.call('PTTL', KEYS[1]) >= 0 and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

export type InstanceCount = {
  /** Some seconds old; the last known count while Redis is unavailable. */
  count(): number;
  close(): Promise<void>;
};

const announceEveryMs = 3000;
const forgottenAfterS = 10;
const countWithinMs = 1000;

export async function openInstanceCount(redis: Redis, service: string, log: Logger): Promise<InstanceCount> {
  const [key, id] = [`holdfast:peers:${service}`, randomUUID()];
  let count = 1;

  async function announce(): Promise<void> {
    try {
      const alive = redis.eval(countInstances, 1, key, id, forgottenAfterS);
      count = Math.max(1, Number(await within(countWithinMs, 'counting instances', alive)));
    } catch (error) {
      log.debug({ err: error }, 'could not count instances');
    }
  }

  const announceNow = () => void announce();
  // Announces again on connect: the first try may come too early.
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

const countInstances = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`;
