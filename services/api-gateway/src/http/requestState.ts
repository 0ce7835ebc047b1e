import type { ServerResponse } from 'node:http';
import type { Span } from '@holdfast/kit/tracing/tracing';
import type { Face } from './face.ts';
import type { Match } from './routes.ts';

export type RequestState = {
  requestId: string;
  /** When the gateway took the request from its connection. */
  arrivedAt: Date;
  startedAt: number;
  match: Match;
  /** The client's address in canonical form, as TRUST_PROXY determines it. */
  address: string;
  publicUrl: string;
  /** The compatible API that the request is for, whose clients expect its errors. */
  face: Face | null;
  executionId: string | null;
  /** The model of the execution that the request created, cancelled or read. */
  model: string | null;
  /** Null when tracing is off. */
  span: Span | null;
  /** The parent for work that this request starts: its span or, with tracing off, the client's own. */
  traceparent: string | null;
};

export const { open: openState, of: stateOf } = perResponse<RequestState>('request state');

/** A value that each response carries from its first step on. `of` throws when the response did not pass through that step. */
export function perResponse<Value>(name: string) {
  // Not a WeakMap: a minor garbage collection keeps all its values, and a value that leads back to its key keeps the request.
  const key = Symbol(name);
  type Carrying = ServerResponse & { [key]?: Value };
  return {
    open(response: Carrying, value: Value): void {
      response[key] = value;
    },
    of(response: Carrying): Value {
      const value = response[key];
      if (value === undefined) throw new Error(`the response has no ${name}`);
      return value;
    },
  };
}
