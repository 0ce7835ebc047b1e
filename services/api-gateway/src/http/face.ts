import type { ServerResponse } from 'node:http';
import type { ApiError } from '@holdfast/domain/errors';
import type { Request } from 'express';
import type { RequestState } from './requestState.ts';

export type Room = 'memory' | 'rate';

/** Another service's API below a path of its own: its clients expect its errors. */
export type Face = {
  name: string;
  /** Such as `/v1/openai/`. */
  prefix: string;
  /** Takes a request to its path, if its clients send it to another. `hosts`: host names of the face alone. */
  enter?(request: Request, hosts: readonly string[]): void;
  /** Sets what every response has beside the headers of the gateway, which are set. */
  setHeaders(response: ServerResponse): void;
  /**
   * What requests wait for in place of a refusal: `memory` for their bodies, as a client that is still sending one often
   * misses the response, or also for `rate`, as its clients spend all their tries on a 429 at once.
   */
  waitsFor?: readonly Room[];
  /** The status of an error, where its clients know another than ours. */
  errorStatus?(error: ApiError, response: ServerResponse): number;
  /** Sets the headers of an error and returns its body. */
  errorBody(error: ApiError, state: RequestState, response: ServerResponse): unknown;
};
