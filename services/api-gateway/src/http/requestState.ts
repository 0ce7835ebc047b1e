import type { ServerResponse } from 'node:http';
import type { Span } from '@holdfast/kit/tracing/tracing';
import type { Caller } from './endpoint.ts';
import type { Match } from './routes.ts';

/** What is known of a request on its way through. */
export type RequestState = {
  requestId: string;
  startedAt: number;
  match: Match;
  caller: Caller | null;
  /** Looks again who calls; null where nobody needs a key. @throws as at first */
  findCaller: (() => Promise<Caller>) | null;
  /** Whose admin token it came with. */
  operator: string | null;
  /** Of the client, as TRUST_PROXY gives it, in its one spelling. */
  address: string;
  /** Why there is no caller: thrown once the rate limit has counted the request. */
  refusal: Error | null;
  executionId: string | null;
  /** Of the execution that it made, cancelled or read. */
  model: string | null;
  /** Null: tracing is off. */
  span: Span | null;
  /** For what this request begins: of the span, or, with tracing off, the client's own. */
  traceparent: string | null;
};

const states = new WeakMap<ServerResponse, RequestState>();

export function openState(response: ServerResponse, state: RequestState): void {
  states.set(response, state);
}

/** @throws when the response did not pass through `identify` */
export function stateOf(response: ServerResponse): RequestState {
  const state = states.get(response);
  if (!state) throw new Error('a response without a request state');
  return state;
}
