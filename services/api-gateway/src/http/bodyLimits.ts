import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';

/** The connection closes after the refusal of a body: draining it would use the memory that is short. */
const errorHeaders = {
  bodies: { 'Retry-After': '2', Connection: 'close' },
  responses: { 'Retry-After': '2' },
};

/** The memory that the body of one request or response occupies, until it is released. */
export type BodyHold = {
  /** Occupies more bytes. @throws RATE_LIMITED, SERVICE_UNAVAILABLE when there is no room */
  take(bytes: number): void;
  release(): void;
};

export type BodyMemory = {
  /** `holder`: the organization, operator or other sender. `member`: one of the senders that share the holder's memory. */
  open(holder: string, member?: string): BodyHold;
  heldBytes(): number;
};

/**
 * The memory of one gateway for bodies of requests, or for responses that are on their way. A body of a request counts with
 * its declared length, so it can be refused unread. One holder gets at most half, and one member a quarter of that, or one body.
 */
export function openBodyMemory(maxBytes: number, what: 'bodies' | 'responses' = 'bodies'): BodyMemory {
  const headers = errorHeaders[what];
  const byHolder = new Map<string, number>();
  let held = 0;

  const heldBy = (name: string) => byHolder.get(name) ?? 0;

  function add(names: readonly string[], bytes: number): void {
    held += bytes;
    for (const name of names) {
      const total = heldBy(name) + bytes;
      if (total === 0) byHolder.delete(name);
      else byHolder.set(name, total);
    }
  }

  return {
    open(holder, member) {
      const memberName = `${holder} ${member}`;
      const names = member === undefined ? [holder] : [holder, memberName];
      let taken = 0;
      const isMemberFull = (bytes: number) => {
        const total = heldBy(memberName);
        return total > taken && total + bytes > maxBytes / 8;
      };
      return {
        take(bytes) {
          if (heldBy(holder) + bytes > maxBytes / 2 || isMemberFull(bytes)) {
            const message = `Too many of your requests have large ${what} at the moment. Send fewer at once.`;
            throw new ApiError('RATE_LIMITED', message, { headers });
          }
          if (held + bytes > maxBytes) {
            const message = `Too many requests have large ${what} at the moment. Try again shortly.`;
            throw new ApiError('SERVICE_UNAVAILABLE', message, { headers });
          }
          taken += bytes;
          add(names, bytes);
        },
        release() {
          add(names, -taken);
          taken = 0;
        },
      };
    },
    heldBytes: () => held,
  };
}

const minResponseBytesPerMs = 16;
const responseGraceMs = 60_000;

/**
 * Holds the memory of a response until it is sent. A client that takes less, after a minute, is cut off: also one that lets
 * the response wait behind another.
 */
export function holdUntilSent(response: ServerResponse, bytes: number, hold: BodyHold): void {
  // Its client has disconnected.
  if (response.destroyed) return;
  hold.take(bytes);
  const { socket } = response.req;
  const timer = setTimeout(() => socket.destroy(), responseGraceMs + bytes / minResponseBytesPerMs);
  response.once('close', () => {
    clearTimeout(timer);
    hold.release();
  });
}

/** The minimum rate of a body, measured per window, and its maximum duration; null: no maximum. */
export type BodyPace = { minBytesPerS: number; windowMs: number; maxMs: number | null };

/** Long enough that a short pause does not count as slow. */
const defaultWindowMs = 10_000;

export function bodyPace(config: { BODY_TIMEOUT_S: number; BODY_MIN_BYTES_PER_S: number }): BodyPace {
  const maxMs = config.BODY_TIMEOUT_S * 1000;
  return { minBytesPerS: config.BODY_MIN_BYTES_PER_S, windowMs: Math.min(defaultWindowMs, maxMs), maxMs };
}

/**
 * Calls `onTooSlow` once, with REQUEST_TIMEOUT, when the body takes too long or too little of it arrives in a window.
 * Windows in which the gateway paused reading, such as for a slow disk, do not count. Returns a function that stops it.
 */
export function watchPace(
  request: IncomingMessage,
  { minBytesPerS, windowMs, maxMs }: BodyPace,
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

  function checkWindow(): void {
    const bytesPerS = ((socket.bytesRead - readBytes) / windowMs) * 1000;
    if (bytesPerS < minBytesPerS && !wasPaused) {
      return refuse(`The body arrived too slowly: send at least ${minBytesPerS} bytes per second.`);
    }
    readBytes = socket.bytesRead;
    wasPaused = request.isPaused();
  }

  request.on('pause', onPause);
  const window = setInterval(checkWindow, windowMs);
  const deadline =
    maxMs === null
      ? undefined
      : setTimeout(refuse, maxMs, `The body was not complete within ${maxMs / 1000} s.`);
  return stop;
}
