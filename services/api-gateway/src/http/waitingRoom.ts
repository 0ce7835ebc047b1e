import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@holdfast/domain/errors';
import { createShares } from '@holdfast/kit/shares';

/** Requests beyond this, or the share of their organization, are refused at once. */
const maxWaiting = 5000;
const pollMs = 1000;

export type WaitingRoom = {
  /**
   * Runs `pass` again once a second while it is refused, for at most `waitMs`, or until the gateway stops or the client is
   * gone. @throws its last error; ApiError SERVICE_UNAVAILABLE if too many wait
   */
  retry<Result>(
    pass: () => Promise<Result>,
    waiting: { organizationId: string; response: ServerResponse; waitMs: number },
  ): Promise<Result>;
  size(): number;
  close(): void;
};

/** Requests above a limit, whose clients would spend all their tries on a refusal within milliseconds. */
export function openWaitingRoom(): WaitingRoom {
  const shares = createShares(maxWaiting);
  const closed = new AbortController();
  return {
    async retry(pass, { organizationId, response, waitMs }) {
      if (shares.roomOf(organizationId) === 0)
        throw new ApiError('SERVICE_UNAVAILABLE', 'Too many requests are waiting. Try again shortly.', {
          headers: { 'Retry-After': '2' },
        });
      const endsAt = performance.now() + waitMs;
      const isOver = () => closed.signal.aborted || response.destroyed || performance.now() > endsAt;
      shares.take(organizationId, 1);
      try {
        for (;;) {
          await delay(pollMs, null, { signal: closed.signal }).catch(() => {});
          try {
            return await pass();
          } catch (error) {
            if (!isRefusal(error) || isOver()) throw error;
          }
        }
      } finally {
        shares.give(organizationId, 1);
      }
    },
    size: shares.taken,
    close: () => closed.abort(),
  };
}

export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'RATE_LIMITED' || error.code === 'SERVICE_UNAVAILABLE');
}
