import type { Readable } from 'node:stream';
import { parseJson } from '@holdfast/egress/response';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Ended, Progress } from '../interface.ts';
import { afterNoResponse, tooLarge } from '../progress.ts';
import { endOf, succeeded } from './ended.ts';
import type { HttpHandle } from './handle.ts';
import type { HttpOptions } from './options.ts';
import { lostRun, pollCall, type Query, unclear } from './poll.ts';
import { type Reading, runningOf, secretsOf } from './progress.ts';
import { failureOf } from './reading.ts';

type Events = NonNullable<NonNullable<HttpOptions['poll']>['events']>;

/** Limits one event, because only one is kept. */
const maxEventChars = 8 * 1024 * 1024;

/** Reads events until one ends the run, reopening a broken stream; a stream that ends without such an event is unclear. */
export async function followEvents(
  handle: HttpHandle,
  events: Events,
  reading: Reading,
  query: Query,
): Promise<Progress> {
  const { options, submission } = reading;
  const running = runningOf(submission, handle, options);
  const response = await query(handle.poll ?? '', {
    ...pollCall(handle, options, submission),
    headers: { accept: 'text/event-stream' },
    timeoutMs: submission.timeoutMs,
    bodyAs: ({ status, headers }) =>
      status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '') ? 'stream' : 'text',
  });
  if (!response.ok) return afterNoResponse(response, running);
  if (response.status === 404 || response.status === 410) return lostRun(response, reading);
  if (response.stream === undefined) return unclear(response, handle, reading);
  const end = await lastEvent(response.stream, [...events.done, ...events.failed]);
  if (end === 'broken off') return running;
  if (end === 'too large') return tooLarge(`an event of more than ${maxEventChars} characters`);
  return end === null ? unclear(response, handle, reading) : endedBy(end, events, reading);
}

async function lastEvent(
  stream: Readable,
  names: readonly string[],
): Promise<EventSourceMessage | 'too large' | 'broken off' | null> {
  let end: EventSourceMessage | 'too large' | null = null;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent(event) {
      if (names.includes(nameOf(event))) end ??= event;
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') end ??= 'too large';
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) {
      parser.feed(decoder.decode(chunk as Buffer, { stream: true }));
      if (end !== null) break;
    }
  } catch {
    return end ?? 'broken off';
  }
  return end;
}

function nameOf({ event = 'message' }: EventSourceMessage): string {
  return event;
}

function endedBy(event: EventSourceMessage, { done }: Events, reading: Reading): Ended {
  const { options, submission } = reading;
  const secrets = secretsOf(reading);
  const json = options.response_as === 'text' ? undefined : parseJson(event.data);
  const value = json === undefined ? event.data : json;
  if (done.includes(nameOf(event)))
    return succeeded({ value, bodies: [] }, options, submission.mapping, secrets);
  return endOf(value, options, failureOf(value, options, submission.mapping, secrets));
}
