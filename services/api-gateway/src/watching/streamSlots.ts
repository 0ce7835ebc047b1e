import { ApiError } from '@holdfast/domain/errors';

const retryAfter = { 'Retry-After': '15' };

export type StreamSlots = {
  /** A place for one more stream of this key, until the function that is answered is called. @throws RATE_LIMITED, SERVICE_UNAVAILABLE */
  take(apiKeyId: string): () => void;
  open(): number;
};

/** How many streams one gateway holds open at once. */
export function openStreamSlots({ perKey, inAll }: { perKey: number; inAll: number }): StreamSlots {
  const byKey = new Map<string, number>();
  let open = 0;

  function add(apiKeyId: string, change: 1 | -1): void {
    const left = (byKey.get(apiKeyId) ?? 0) + change;
    open += change;
    if (left === 0) byKey.delete(apiKeyId);
    else byKey.set(apiKeyId, left);
  }

  return {
    take(apiKeyId) {
      if ((byKey.get(apiKeyId) ?? 0) >= perKey) {
        throw new ApiError('RATE_LIMITED', `At most ${perKey} event streams at once.`, {
          headers: retryAfter,
        });
      }
      if (open >= inAll) {
        throw new ApiError('SERVICE_UNAVAILABLE', 'There are too many event streams. Try again soon.', {
          headers: retryAfter,
        });
      }
      add(apiKeyId, 1);
      return () => add(apiKeyId, -1);
    },
    open: () => open,
  };
}
