import type { ServerResponse } from 'node:http';
import type { ApiError } from '@holdfast/domain/errors';
import type { RequestState } from './requestState.ts';

/** Another service's API below a path of its own: its clients expect its errors. */
export type Face = {
  name: string;
  /** Such as `/v1/openai/`. */
  prefix: string;
  /** Sets what every response has beside the headers of the gateway, which are set. */
  setHeaders(response: ServerResponse): void;
  /** Its clients spend all their tries on a 429 at once: a create waits for room instead. */
  waitsForRoom?: boolean;
  /** The status of an error, where its clients know another than ours. */
  errorStatus?(error: ApiError): number;
  /** Sets the headers of an error and returns its body. */
  errorBody(error: ApiError, state: RequestState, response: ServerResponse): unknown;
};
