import { ApiError } from '@holdfast/domain/errors';

const headers = { 'Retry-After': '15' };

export type StreamSlots = {
  /** Takes a slot; the returned function releases it. @throws RATE_LIMITED, SERVICE_UNAVAILABLE */
  take(holder: string): () => void;
  open(): number;
};

/** The event streams that one gateway has open at once. */
export function openStreamSlots({ maxPerKey, max }: { maxPerKey: number; max: number }): StreamSlots {
  const byHolder = new Map<string, number>();
  let open = 0;

  function add(holder: string, change: 1 | -1): void {
    const total = (byHolder.get(holder) ?? 0) + change;
    open += change;
    if (total === 0) byHolder.delete(holder);
    else byHolder.set(holder, total);
  }

  return {
    take(holder) {
      if ((byHolder.get(holder) ?? 0) >= maxPerKey) {
        throw new ApiError('RATE_LIMITED', `At most ${maxPerKey} event streams may be open at once.`, {
          headers,
        });
      }
      if (open >= max) {
        throw new ApiError('SERVICE_UNAVAILABLE', 'Too many event streams are open. Try again shortly.', {
          headers,
        });
      }
      add(holder, 1);
      return () => add(holder, -1);
    },
    open: () => open,
  };
}
