import { ApiError } from '@holdfast/domain/errors';
import { createShares } from '@holdfast/kit/shares';

export type StreamSlots = {
  /** Takes a slot; the returned function releases it. @throws RATE_LIMITED, SERVICE_UNAVAILABLE */
  take(organizationId: string, holder: string): () => void;
  open(): number;
};

/** The event streams that one gateway has open at once: one organization gets at most half, so that another finds a slot. */
export function openStreamSlots({ maxPerKey, max }: { maxPerKey: number; max: number }): StreamSlots {
  const byHolder = new Map<string, number>();
  const shares = createShares(max);

  function add(holder: string, change: 1 | -1): void {
    const total = (byHolder.get(holder) ?? 0) + change;
    if (total === 0) byHolder.delete(holder);
    else byHolder.set(holder, total);
  }

  return {
    take(organizationId, holder) {
      if ((byHolder.get(holder) ?? 0) >= maxPerKey) {
        throw tooMany('RATE_LIMITED', `At most ${maxPerKey} event streams may be open at once.`);
      }
      if (shares.taken() >= max) {
        throw tooMany('SERVICE_UNAVAILABLE', 'Too many event streams are open. Try again shortly.');
      }
      if (shares.roomOf(organizationId) === 0) {
        throw tooMany('RATE_LIMITED', 'Too many of your event streams are open at the moment. Close some.');
      }
      shares.take(organizationId, 1);
      add(holder, 1);
      return () => {
        add(holder, -1);
        shares.give(organizationId, 1);
      };
    },
    open: shares.taken,
  };
}

function tooMany(code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE', message: string): ApiError {
  return new ApiError(code, message, { headers: { 'Retry-After': '15' } });
}
