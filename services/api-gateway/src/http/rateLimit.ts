import { ApiError } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { addressGroup } from '@holdfast/egress/addresses';
import { type CountedHit, openHitCounter } from '@holdfast/queues/hitCounter';
import type { Response } from 'express';
import type { Context } from '../context.ts';
import type { Endpoint } from './endpoint.ts';
import { type RequestState, stateOf } from './requestState.ts';

type LimitName = Endpoint['limit'] | 'token';

/** Counts a request and sets the headers of its limit. @throws ApiError RATE_LIMITED */
export type LimitRate = (response: Response) => Promise<void>;

/** Providers send callbacks in bursts from a few addresses. */
const callbackFactor = 20;

/** Requests pass when Redis takes longer than this to count them. */
const countTimeoutMs = 500;

const windowMs = limits.rateLimitWindowMs;

/** Spec, "Rate limiting": every response, whatever its status, has the X-RateLimit headers. */
export function limitRate(context: Context): LimitRate {
  const { config } = context;
  const limiters: Record<LimitName, LimitRate> = {
    create: limiter(context, 'create', config.RATE_LIMIT_CREATE_PER_MINUTE),
    other: limiter(context, 'other', config.RATE_LIMIT_PER_MINUTE),
    token: limiter(context, 'token', config.RATE_LIMIT_TOKEN_PER_MINUTE),
    callback: limiter(context, 'callback', config.RATE_LIMIT_PER_MINUTE * callbackFactor),
  };
  return (response) => limiters[limitName(response)](response);
}

/** Separate from the public API, so that a flood through the same proxy does not lock operators out. */
export function limitOperators(context: Context): LimitRate {
  return limiter(context, 'admin', context.config.RATE_LIMIT_PER_MINUTE);
}

function limitName(response: Response): LimitName {
  const { match, caller } = stateOf(response);
  if (caller?.token) return 'token';
  if (match.kind !== 'endpoint') return 'other';
  const { limit, access = 'key' } = match.endpoint;
  return access === 'key' && !caller ? 'other' : limit;
}

/** While Redis is unavailable every request passes as the first of its window and a metric counts it. */
function limiter(
  { redis, metrics }: Pick<Context, 'redis' | 'metrics'>,
  name: LimitName | 'admin',
  maxPerMinute: number,
): LimitRate {
  const prefix = `holdfast:limit:${name}:`;
  const count = openHitCounter(redis, { windowMs, timeoutMs: countTimeoutMs });
  const uncounted = (): CountedHit => {
    metrics.unlimited.inc();
    return { hits: 1, resetAtMs: Date.now() + windowMs };
  };
  return async (response) => {
    const key = prefix + keyOf(stateOf(response));
    const { hits, resetAtMs } = await count(key).catch(uncounted);
    response.setHeader('X-RateLimit-Limit', maxPerMinute);
    response.setHeader('X-RateLimit-Remaining', Math.max(0, maxPerMinute - hits));
    response.setHeader('X-RateLimit-Reset', Math.ceil(resetAtMs / 1000));
    if (hits <= maxPerMinute) return;
    response.setHeader('Retry-After', Math.max(0, Math.ceil((resetAtMs - Date.now()) / 1000)));
    throw new ApiError(
      'RATE_LIMITED',
      `At most ${maxPerMinute} requests per minute are allowed. Wait for Retry-After seconds.`,
    );
  };
}

/** The prefix keeps an operator's name from matching an address. */
function keyOf({ caller, operator, address }: RequestState): string {
  if (operator !== null) return `operator ${operator}`;
  // The holder of a token must not use up the limit of its key.
  return caller?.token?.executionId ?? caller?.apiKeyId ?? addressGroup(address);
}
