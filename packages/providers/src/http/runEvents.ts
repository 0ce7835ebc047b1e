import { parseJson } from '@holdfast/egress/response';
import { isEventStream, readEvents, type StreamEvent } from '../eventStream.ts';
import type { Ended, Progress } from '../interface.ts';
import { afterNoResponse, tooLarge } from '../progress.ts';
import { endOf, succeeded } from './ended.ts';
import type { HttpHandle } from './handle.ts';
import type { HttpOptions } from './options.ts';
import { lostRun, pollCall, type Query, unclear } from './poll.ts';
import { type Reading, runningOf, secretsOf } from './progress.ts';
import { failureOf } from './reading.ts';

type Events = NonNullable<NonNullable<HttpOptions['poll']>['events']>;

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
    bodyAs: ({ status, headers }) => (status === 200 && isEventStream(headers) ? 'stream' : 'text'),
  });
  if (!response.ok) return afterNoResponse(response, running);
  if (response.status === 404 || response.status === 410) return lostRun(response, reading);
  if (response.stream === undefined) return unclear(response, handle, reading);
  const names = [...events.done, ...events.failed];
  let last: StreamEvent | null = null;
  const end = await readEvents(response.stream, (event) => {
    const isLast = names.includes(event.name);
    if (isLast) last = event;
    return isLast;
  });
  if (end.by === 'break') return running;
  if (end.by === 'limit') return tooLarge(end.what);
  return last === null ? unclear(response, handle, reading) : endedBy(last, events, reading);
}

function endedBy(event: StreamEvent, { done }: Events, reading: Reading): Ended {
  const { options, submission } = reading;
  const secrets = secretsOf(reading);
  const json = options.response_as === 'text' ? undefined : parseJson(event.data);
  const value = json === undefined ? event.data : json;
  if (done.includes(event.name))
    return succeeded({ value, bodies: [] }, options, submission.mapping, secrets);
  return endOf(value, options, failureOf(value, options, submission.mapping, secrets));
}
