import { ApiError } from '@holdfast/domain/errors';

const headers = { 'Retry-After': '15' };

export type StreamSlots = {
  /** Takes a slot; the returned function releases it. @throws RATE_LIMITED, SERVICE_UNAVAILABLE */
  take(apiKeyId: string): () => void;
  open(): number;
};

/** The event streams that one gateway has open at once. */
export function openStreamSlots({ maxPerKey, max }: { maxPerKey: number; max: number }): StreamSlots {
  const byKey = new Map<string, number>();
  let open = 0;

  function add(apiKeyId: string, change: 1 | -1): void {
    const total = (byKey.get(apiKeyId) ?? 0) + change;
    open += change;
    if (total === 0) byKey.delete(apiKeyId);
    else byKey.set(apiKeyId, total);
  }

  return {
    take(apiKeyId) {
      if ((byKey.get(apiKeyId) ?? 0) >= maxPerKey) {
        throw new ApiError('RATE_LIMITED', `At most ${maxPerKey} event streams may be open at once.`, {
          headers,
        });
      }
      if (open >= max) {
        throw new ApiError('SERVICE_UNAVAILABLE', 'Too many event streams are open. Try again shortly.', {
          headers,
        });
      }
      add(apiKeyId, 1);
      return () => add(apiKeyId, -1);
    },
    open: () => open,
  };
}
