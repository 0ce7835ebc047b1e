import { ApiError } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { Context } from '../context.ts';
import type { Endpoint } from './endpoint.ts';
import { forgivingStore } from './rateLimitStore.ts';
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
