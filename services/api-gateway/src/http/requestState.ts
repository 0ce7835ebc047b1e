import type { ServerResponse } from 'node:http';
import type { Span } from '@holdfast/kit/tracing/tracing';
import type { Operator } from '../access/operators.ts';
import type { Caller } from './endpoint.ts';
import type { Match } from './routes.ts';

export type RequestState = {
  requestId: string;
  startedAt: number;
  match: Match;
  /** The session below whose path the request was made. */
  portalSessionId: string | null;
  caller: Caller | null;
  /** Looks the caller or operator up again; null where none is needed. @throws as authentication does */
  recheck: (() => Promise<unknown>) | null;
  operator: Operator | null;
  /** The client's address in canonical form, as TRUST_PROXY determines it. */
  address: string;
  publicUrl: string;
  /** Why there is no caller; thrown after the rate limit has counted the request. */
  accessError: Error | null;
  executionId: string | null;
  /** The model of the execution that the request created, cancelled or read. */
  model: string | null;
  /** Null when tracing is off. */
  span: Span | null;
  /** The parent for work that this request starts: its span or, with tracing off, the client's own. */
  traceparent: string | null;
};

// Not a WeakMap: a minor garbage collection keeps all its values, and a value that leads back to its key keeps the request.
const key = Symbol('request state');
type Tracked = ServerResponse & { [key]?: RequestState };

export function openState(response: Tracked, state: RequestState): void {
  response[key] = state;
}

/** @throws when the response did not pass through `trackRequests` */
export function stateOf(response: Tracked): RequestState {
  const state = response[key];
  if (!state) throw new Error('the response has no request state');
  return state;
}
