import { bodyOf, type FollowOptions, followSource, numberOf } from './eventSource.ts';
import type { Http } from './http.ts';
import type { ServerSentEvent } from './serverSentEvents.ts';
import { type Execution, isEnded, isExecution } from './types.ts';

/** What happened to an execution. Later versions of the service may send other types: ignore those. */
export type ExecutionEvent =
  | { type: 'status'; execution: Execution }
  | { type: 'progress'; progress: number | null; queuePosition: number | null }
  | { type: 'log'; lines: string[] };

export type EventsOptions = Omit<FollowOptions, 'lastEventId'>;

/** The events of an execution until it has ended. @throws HoldfastError when the stream cannot be continued */
export function followEvents(
  http: Http,
  id: string,
  options?: EventsOptions,
): AsyncGenerator<ExecutionEvent, void, undefined> {
  const isLast = (event: ExecutionEvent) => event.type === 'status' && isEnded(event.execution);
  const path = `/v1/executions/${encodeURIComponent(id)}/events`;
  return followSource(http, { path, eventOf, isLast }, options);
}

function eventOf(sent: ServerSentEvent): ExecutionEvent | null {
  const body = bodyOf(sent);
  const { type } = sent;
  if (body === null) return null;
  if (type === 'status' && isExecution(body)) {
    return { type, execution: body as unknown as Execution };
  }
  if (type === 'progress') {
    return { type, progress: numberOf(body['progress']), queuePosition: numberOf(body['queue_position']) };
  }
  if (type === 'log' && Array.isArray(body['lines'])) return { type, lines: body['lines'].map(String) };
  return null;
}
