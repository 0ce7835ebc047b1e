import { AbortedError, ConnectionError, HoldfastError } from './errors.ts';
import type { Call, Http, OpenResponse } from './http.ts';
import { backoff, maxPauseMs, requestedDelay, sleep } from './retries.ts';
import { chunksOf, readEvents, type ServerSentEvent } from './serverSentEvents.ts';

/** Events of an execution that any connection continues after the id of the last one. */
export type Source<Event> = Pick<Call, 'path' | 'query'> & {
  /** Null for what this version does not know, and for garbage. */
  eventOf(sent: ServerSentEvent): Event | null;
  /** Whether no event follows this one. */
  isLast(event: Event): boolean;
};

export type FollowOptions = {
  signal?: AbortSignal | undefined;
  /** Throws after this many connections in a row without an event. Default: 12 that do not open, about a minute. */
  maxFailures?: number | undefined;
  /** The events after this one. Default: all. */
  lastEventId?: string | undefined;
};

/** The server sends a comment every 15 s: a stream that is silent for longer is broken. */
const silenceMs = 40_000;
/** A proxy that buffers would let a stream look silent from the beginning. */
const firstBytesMs = 15_000;
const maxUnopened = 12;

/** Yields events until the last one, across connections. @throws HoldfastError when the stream cannot be continued */
export async function* followSource<Event>(
  http: Http,
  source: Source<Event>,
  { signal, maxFailures = Number.POSITIVE_INFINITY, lastEventId }: FollowOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const position: Position = { lastEventId: lastEventId ?? null, retryMs: null, unopened: 0 };
  for (let failures = 1; ; failures += 1) {
    try {
      for await (const event of connection(http, source, position, signal)) {
        failures = 0;
        yield event;
        if (source.isLast(event)) return;
      }
      if (position.isAtEnd) return;
      if (failures >= maxFailures) throw brokenStream('The event stream ended before the execution.');
      const pauseMs = Math.max(position.retryMs ?? 0, backoff(Math.max(1, failures)));
      await sleep(Math.min(pauseMs, maxPauseMs), signal);
    } catch (error) {
      if (!(error instanceof HoldfastError) || !error.retryable || failures >= maxFailures) throw error;
      if (position.unopened >= maxUnopened) throw error;
      const pauseMs = requestedDelay(error) ?? backoff(Math.max(1, failures));
      await sleep(Math.min(pauseMs, maxPauseMs), signal);
    }
  }
}

type Position = {
  lastEventId: string | null;
  retryMs: number | null;
  /** Connections in a row that did not become a stream. */
  unopened: number;
  isAtEnd?: boolean;
};

async function* connection<Event>(
  http: Http,
  source: Source<Event>,
  position: Position,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  position.unopened += 1;
  const { response, close } = await connect(http, source, position, signal);
  position.unopened = 0;
  const silence = watchSilence(close);
  signal?.addEventListener('abort', close, { once: true });
  try {
    if (response.status === 204 || !response.body) {
      position.isAtEnd = true;
      return;
    }
    const onRetry = (ms: number) => void (position.retryMs = ms);
    const messages = readEvents(chunksOf(response.body), { onActivity: silence.restart, onRetry });
    for (;;) {
      const next = await reading(() => messages.next(), signal);
      if (next.done) return;
      position.lastEventId = next.value.id ?? position.lastEventId;
      const event = source.eventOf(next.value);
      silence.pause();
      if (event !== null) yield event;
      silence.restart();
    }
  } finally {
    silence.pause();
    signal?.removeEventListener('abort', close);
    close();
  }
}

async function connect(
  http: Http,
  { path, query }: Pick<Call, 'path' | 'query'>,
  { lastEventId }: Position,
  signal: AbortSignal | undefined,
): Promise<OpenResponse> {
  const headers = {
    Accept: 'text/event-stream',
    ...(lastEventId !== null && { 'Last-Event-ID': lastEventId }),
  };
  const opened = await http.open({ method: 'GET', path, query, headers }, { signal, timeout: firstBytesMs });
  const type = opened.response.headers.get('content-type') ?? '';
  if (opened.response.status === 204 || /^text\/event-stream/i.test(type)) return opened;
  opened.close();
  throw brokenStream(`The event stream has the type "${type}".`);
}

/** Calls `onSilence` when nothing arrives for too long. */
function watchSilence(onSilence: () => void) {
  let timer = setTimeout(onSilence, firstBytesMs);
  return {
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onSilence, silenceMs);
    },
    pause: () => clearTimeout(timer),
  };
}

async function reading<Result>(
  read: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted) throw new AbortedError(signal.reason);
    throw brokenStream('The event stream was cut.', error);
  }
}

const brokenStream = (message: string, cause?: unknown) =>
  new ConnectionError({ code: 'STREAM_BROKEN', message, cause });

/** The JSON object of an event; null for garbage. */
export function bodyOf({ data }: ServerSentEvent): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(data);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
