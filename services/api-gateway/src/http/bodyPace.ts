import type { IncomingMessage } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';

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
