import { ApiError } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { createBatcher } from '@holdfast/kit/batcher';
import { within } from '@holdfast/kit/within';
import { callScripts } from '@holdfast/queues/connection';
import type { Request, RequestHandler, Response } from 'express';
import {
  type ClientRateLimitInfo,
  ipKeyGenerator,
  type Options,
  rateLimit,
  type Store,
} from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import { type Identity, identityOf } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import type { Endpoint } from '../context/endpoint.ts';
import { stateOf } from '../http/requestState.ts';

type LimitName = Endpoint['limit'] | 'token';

/** Counts a request and sets the headers of its limit. @throws ApiError RATE_LIMITED */
export type LimitRate = (request: Request, response: Response) => Promise<void>;

/** Providers send callbacks in bursts from a few addresses. */
const callbackFactor = 20;

/** Requests pass when Redis takes longer than this to count them. */
const countTimeoutMs = 500;

/** Contract 11.1: every response, whatever its status, has the X-RateLimit headers. */
export function limitRate(context: Context): LimitRate {
  const { config } = context;
  const limiters: Record<LimitName, LimitRate> = {
    create: limiter(context, 'create', config.RATE_LIMIT_CREATE_PER_MINUTE),
    other: limiter(context, 'other', config.RATE_LIMIT_PER_MINUTE),
    token: limiter(context, 'token', config.RATE_LIMIT_TOKEN_PER_MINUTE),
    callback: limiter(context, 'callback', config.RATE_LIMIT_PER_MINUTE * callbackFactor),
  };
  return (request, response) => limiters[limitName(response)](request, response);
}

/** Separate from the public API, so that a flood through the same proxy does not lock operators out. */
export function limitOperators(context: Context): LimitRate {
  return limiter(context, 'admin', context.config.RATE_LIMIT_PER_MINUTE);
}

function limitName(response: Response): LimitName {
  const { match } = stateOf(response);
  const { caller } = identityOf(response);
  if (caller?.token) return 'token';
  if (match.kind !== 'endpoint') return 'other';
  const { limit, access = 'key' } = match.endpoint;
  return access === 'key' && !caller ? 'other' : limit;
}

function limiter(context: Context, name: LimitName | 'admin', maxPerMinute: number): LimitRate {
  const limit: RequestHandler = rateLimit({
    windowMs: limits.rateLimitWindowMs,
    limit: maxPerMinute,
    legacyHeaders: true,
    standardHeaders: false,
    validate: false,
    store: failOpenStore(context, name),
    keyGenerator: (_request, response) => keyOf(identityOf(response), stateOf(response).address),
    handler: (_request, _response, next) => {
      next(
        new ApiError(
          'RATE_LIMITED',
          `At most ${maxPerMinute} requests per minute are allowed. Wait for Retry-After seconds.`,
        ),
      );
    },
  });
  return (request, response) =>
    new Promise((resolve, reject) => {
      void limit(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
}

/** The prefix keeps an operator's name from matching an address. */
function keyOf({ caller, operator }: Identity, address: string): string {
  if (operator !== null) return `operator ${operator.name}`;
  // Sessions of an organization share a limit. Neither they nor the holder of a token may use up a key's.
  if (caller?.session) return `portal ${caller.organizationId}`;
  return caller?.token?.executionId ?? caller?.apiKeyId ?? ipKeyGenerator(address);
}

/**
 * Counts in Redis for all gateways together, batching concurrent requests of one key. While Redis is unavailable every
 * request passes as the first of its window and a metric counts it.
 */
function failOpenStore({ redis, metrics }: Pick<Context, 'redis' | 'metrics'>, name: string): Store {
  const prefix = `holdfast:limit:${name}:`;
  let options: Options;
  let opening: Promise<RedisStore> | null = null;

  async function open(): Promise<RedisStore> {
    const store = new RedisStore({
      prefix,
      sendCommand: (command: string, ...args: string[]) =>
        callScripts(redis, command, args) as Promise<number | string>,
    });
    await store.init(options);
    return store;
  }

  async function count(store: RedisStore, key: string, indexes: number[], infos: ClientRateLimitInfo[]) {
    const { totalHits, resetTime } = await store.increment(key);
    if (indexes.length > 1) {
      await redis.incrby(prefix + key, indexes.length - 1);
      // If the window ended in between, this starts a new one.
      await redis.pexpire(prefix + key, options.windowMs, 'NX');
    }
    indexes.forEach((index, nth) => {
      infos[index] = { totalHits: totalHits + nth, resetTime };
    });
  }

  const batcher = createBatcher<string, ClientRateLimitInfo>({
    maxSize: 1000,
    async run(keys) {
      opening ??= open();
      const store = await opening;
      const byKey = Map.groupBy(keys.keys(), (index) => keys[index] ?? '');
      const infos: ClientRateLimitInfo[] = [];
      await Promise.all([...byKey].map(([key, indexes]) => count(store, key, indexes, infos)));
      return infos;
    },
  });

  return {
    init(given) {
      options = given;
    },
    async increment(key) {
      try {
        return await within(countTimeoutMs, 'counting', batcher.add(key));
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
