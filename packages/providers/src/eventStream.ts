import type { Readable } from 'node:stream';
import { limits } from '@holdfast/domain/limits';
import { timedOut } from '@holdfast/egress/exchange';
import { createParser } from 'eventsource-parser';
import type { Progress } from './interface.ts';
import { networkProgress, tooLarge } from './progress.ts';

/** A server-sent event, or a line of ndjson. `name` is `message` unless the server names it. */
export type StreamEvent = { name: string; data: string; id?: string };

export type StreamFormat = 'sse' | 'ndjson';

/** `stop`: `onEvent` returned true. `end`: the response is complete. `break`: the connection broke off. */
export type StreamEnd =
  | { by: 'stop' | 'end' }
  | { by: 'break'; error: Error }
  | { by: 'limit'; what: string };

/** Limits one event, because only one is kept. */
const maxEventChars = 8 * 1024 * 1024;
/** After the last event, for the end of the response: its connection can then be used again. */
const drainMs = 1000;

export function isEventStream(headers: { 'content-type'?: string | undefined }): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/**
 * Passes on each event until `onEvent` returns true. It is awaited before more is read, and what it rejects with is passed on.
 * A last event without a blank line counts, because the response is complete.
 */
export async function readEvents(
  stream: Readable,
  onEvent: (event: StreamEvent) => Promise<boolean> | boolean,
  format: StreamFormat = 'sse',
): Promise<StreamEnd> {
  const decoder = new TextDecoder();
  const splitter = splitters[format]();
  let readChars = 0;
  let isStopped = false;
  const passOn = async (events: StreamEvent[]): Promise<StreamEnd | null> => {
    for (const event of events) {
      readChars += event.data.length;
      if (readChars > limits.providerBodyBytes)
        return { by: 'limit', what: `events of more than ${limits.providerBodyBytes} characters` };
      isStopped = await onEvent(event);
      if (isStopped) return { by: 'stop' };
    }
    return splitter.isTooLarge()
      ? { by: 'limit', what: `an event of more than ${maxEventChars} characters` }
      : null;
  };
  const chunks = stream.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const read = await nextOf(chunks);
      if (read instanceof Error) return { by: 'break', error: read };
      const text = read.done ? decoder.decode() : decoder.decode(read.value as Buffer, { stream: true });
      const end = await passOn([...splitter.split(text), ...(read.done ? splitter.rest() : [])]);
      if (end !== null || read.done) return end ?? { by: 'end' };
    }
  } finally {
    if (isStopped) {
      await chunks.return?.();
      drain(stream);
    } else stream.destroy();
  }
}

/** The progress of a run whose stream ended before its last event. */
export function brokenOff(end: StreamEnd, signal: AbortSignal): Progress {
  if (end.by === 'limit') return tooLarge(end.what);
  const error: NodeJS.ErrnoException =
    end.by === 'break' ? end.error : new Error('the stream ended without its last event');
  const reason = signal.aborted ? 'aborted' : error.code === timedOut ? 'timeout' : 'network';
  const { code = 'ERR_STREAM', message } = error;
  return networkProgress({ ok: false, reached: 'unknown', reason, code, message });
}

async function nextOf(chunks: AsyncIterator<unknown>): Promise<IteratorResult<unknown> | Error> {
  try {
    return await chunks.next();
  } catch (error) {
    return error as Error;
  }
}

function drain(stream: Readable): void {
  const timer = setTimeout(() => stream.destroy(), drainMs).unref();
  stream.once('close', () => clearTimeout(timer));
  stream.resume();
}

/** `rest`: what remains at the end of a complete response. */
type Splitter = { split(text: string): StreamEvent[]; rest(): StreamEvent[]; isTooLarge(): boolean };

const splitters: Record<StreamFormat, () => Splitter> = { sse: eventSplitter, ndjson: lineSplitter };

function eventSplitter(): Splitter {
  let events: StreamEvent[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ event: name = 'message', data, id }) =>
      void events.push({ name, data, ...(id !== undefined && { id }) }),
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') isTooLarge = true;
    },
  });
  const split = (text: string) => {
    events = [];
    parser.feed(text);
    return events;
  };
  return { split, rest: () => split('\n\n'), isTooLarge: () => isTooLarge };
}

function lineSplitter(): Splitter {
  let started: string[] = [];
  let startedChars = 0;
  const split = (text: string) => {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const [first, ...others] = lines;
    const whole = first === undefined ? [] : [[...started, first].join(''), ...others];
    if (first !== undefined) [started, startedChars] = [[], 0];
    started.push(last);
    startedChars += last.length;
    return whole.filter((line) => line.trim() !== '').map((data) => ({ name: 'message', data }));
  };
  return { split, rest: () => split('\n'), isTooLarge: () => startedChars > maxEventChars };
}
