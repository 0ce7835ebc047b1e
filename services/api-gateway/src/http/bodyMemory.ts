import { ApiError } from '@holdfast/domain/errors';

/** The connection closes with the answer: to take the rest of the body and forget it would cost what is short. */
const headers = { 'Retry-After': '2', Connection: 'close' };

/** What a request holds in memory of its body, from before it is read until the request is answered. */
export type BodyHold = {
  /** Holds so many bytes more. @throws RATE_LIMITED, SERVICE_UNAVAILABLE when there is no room */
  take(bytes: number): void;
  release(): void;
};

export type BodyMemory = {
  /** `holder`: the organization, or who else sends. */
  open(holder: string): BodyHold;
  heldBytes(): number;
};

/**
 * The memory that one gateway gives to the bodies of requests in flight. A body counts with the length that it declares,
 * so what there is no room for is refused unread; nobody holds more than half.
 */
export function openBodyMemory(limitBytes: number): BodyMemory {
  const byHolder = new Map<string, number>();
  let held = 0;

  function add(holder: string, bytes: number): void {
    const left = (byHolder.get(holder) ?? 0) + bytes;
    held += bytes;
    if (left === 0) byHolder.delete(holder);
    else byHolder.set(holder, left);
  }

  return {
    open(holder) {
      let taken = 0;
      return {
        take(bytes) {
          if ((byHolder.get(holder) ?? 0) + bytes > limitBytes / 2) {
            const message = 'Too many of your requests have a large body at the moment. Send fewer at once.';
            throw new ApiError('RATE_LIMITED', message, { headers });
          }
          if (held + bytes > limitBytes) {
            const message = 'Too many requests have a large body at the moment. Try again soon.';
            throw new ApiError('SERVICE_UNAVAILABLE', message, { headers });
          }
          taken += bytes;
          add(holder, bytes);
        },
        release() {
          add(holder, -taken);
          taken = 0;
        },
      };
    },
    heldBytes: () => held,
  };
}
