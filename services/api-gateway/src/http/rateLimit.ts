import { ApiError } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { createBatcher } from '@holdfast/kit/batcher';
import { within } from '@holdfast/kit/within';
import { callScripts } from '@holdfast/queues/admission';
import type { RequestHandler, Response } from 'express';
import {
  type ClientRateLimitInfo,
  ipKeyGenerator,
  type Options,
  rateLimit,
  type Store,
} from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import type { Context } from '../context.ts';
import type { Endpoint } from './endpoint.ts';
import { type RequestState, stateOf } from './requestState.ts';

type LimitName = Endpoint['limit'];

/** Providers call back in bursts, all from a few addresses. */
const callbackFactor = 20;

/** Spec, "Rate limiting": every answer carries the X-RateLimit headers, whatever it says. */
export function limitRate(context: Context): RequestHandler {
  const { config } = context;
  const limiters: Record<LimitName, RequestHandler> = {
    create: limiter(context, 'create', config.RATE_LIMIT_CREATE_PER_MINUTE),
    other: limiter(context, 'other', config.RATE_LIMIT_PER_MINUTE),
    callback: limiter(context, 'callback', config.RATE_LIMIT_PER_MINUTE * callbackFactor),
  };
  return (request, response, next) => limiters[limitName(response)](request, response, next);
}

/** Apart from the public API: a flood there, from behind the same proxy, must not keep the operator out. */
export function limitOperators(context: Context): RequestHandler {
  return limiter(context, 'admin', context.config.RATE_LIMIT_PER_MINUTE);
}

function limitName(response: Response): LimitName {
  const { match, caller } = stateOf(response);
  if (match.kind !== 'endpoint') return 'other';
  const { limit, access = 'key' } = match.endpoint;
  return access === 'key' && !caller ? 'other' : limit;
}

function limiter(context: Context, name: LimitName | 'admin', perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: limits.rateLimitWindowMs,
    limit: perMinute,
    legacyHeaders: true,
    standardHeaders: false,
    validate: false,
    store: forgivingStore(context, name),
    keyGenerator: (_request, response) => keyOf(stateOf(response)),
    handler: (_request, _response, next) => {
      next(
        new ApiError('RATE_LIMITED', `At most ${perMinute} requests a minute. Wait for Retry-After seconds.`),
      );
    },
  });
}

/** An operator's name is no address: nobody without the token is counted as one. */
function keyOf({ caller, operator, address }: RequestState): string {
  if (operator !== null) return `operator ${operator}`;
  return caller?.apiKeyId ?? ipKeyGenerator(address);
}

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
