import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@holdfast/domain/errors';
import type { Request, Response } from 'express';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { stateOf } from '../http/requestState.ts';
import type { LimitRate } from './rateLimit.ts';

/** Clients wait for a response for at least 60 s. */
const waitForMs = 50_000;
const pollMs = 1000;

/**
 * A create above its limit waits for room if the clients of its face spend all their tries on a 429 at once. It takes one of
 * the streams that its key may have open. @throws ApiError RATE_LIMITED, UNAUTHENTICATED
 */
export function waitingForRoom({ streams }: Pick<Context, 'streams'>, limitRate: LimitRate): LimitRate {
  return async (request, response) => {
    try {
      await limitRate(request, response);
    } catch (error) {
      const { caller, recheck } = identityOf(response);
      if (!isLimited(error) || !caller || !mayWait(response)) throw error;
      const release = streams.take(caller.organizationId, caller.apiKeyId);
      await retry(limitRate, request, response).finally(release);
      await recheck?.();
      response.removeHeader('Retry-After');
    }
  };
}

function mayWait(response: Response): boolean {
  const { match, face } = stateOf(response);
  return face?.waitsForRoom === true && match.kind === 'endpoint' && match.endpoint.limit === 'create';
}

async function retry(limitRate: LimitRate, request: Request, response: Response): Promise<void> {
  const endsAt = performance.now() + waitForMs;
  for (;;) {
    await delay(pollMs);
    try {
      return await limitRate(request, response);
    } catch (error) {
      if (!isLimited(error) || response.destroyed || performance.now() > endsAt) throw error;
    }
  }
}

const isLimited = (error: unknown) => error instanceof ApiError && error.code === 'RATE_LIMITED';
