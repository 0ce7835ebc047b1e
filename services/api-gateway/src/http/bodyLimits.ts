import type { IncomingMessage } from 'node:http';
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

/** How fast a body must come; null: there is no limit to the whole. */
export type BodyPace = { minBytesPerS: number; windowMs: number; withinMs: number | null };

/** A rate is judged over so long, so that a short pause is none. */
const windowMs = 10_000;

export function bodyPace(config: { BODY_TIMEOUT_S: number; BODY_MIN_BYTES_PER_S: number }): BodyPace {
  const withinMs = config.BODY_TIMEOUT_S * 1000;
  return { minBytesPerS: config.BODY_MIN_BYTES_PER_S, windowMs: Math.min(windowMs, withinMs), withinMs };
}

/**
 * Calls `onTooSlow` once with REQUEST_TIMEOUT when the body takes too long, or too little of it came in one window. A window
 * in which we did not read, because a disk was slow, is not the client's. Stops by the function that it returns.
 */
export function watchPace(
  request: IncomingMessage,
  { minBytesPerS, windowMs, withinMs }: BodyPace,
  onTooSlow: (error: ApiError) => void,
): () => void {
  if (request.complete) return () => {};
  const { socket } = request;
  let readBytes = socket.bytesRead;
  let wasPaused = false;
  const onPause = () => {
    wasPaused = true;
  };

  function stop(): void {
    clearInterval(window);
    clearTimeout(deadline);
    request.off('pause', onPause);
  }

  function refuse(message: string): void {
    stop();
    if (!request.complete)
      onTooSlow(new ApiError('REQUEST_TIMEOUT', message, { headers: { Connection: 'close' } }));
  }

  function judge(): void {
    const bytesPerS = ((socket.bytesRead - readBytes) / windowMs) * 1000;
    if (bytesPerS < minBytesPerS && !wasPaused) {
      return refuse(`The body came too slowly: send at least ${minBytesPerS} bytes a second.`);
    }
    readBytes = socket.bytesRead;
    wasPaused = request.isPaused();
  }

  request.on('pause', onPause);
  const window = setInterval(judge, windowMs);
  const deadline =
    withinMs === null
      ? undefined
      : setTimeout(refuse, withinMs, `The body was not complete within ${withinMs / 1000} s.`);
  return stop;
}
