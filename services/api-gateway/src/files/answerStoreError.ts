import { ApiError } from '@holdfast/domain/errors';
import type { OnError } from '@holdfast/files/sendObject';
import { errorBody } from '../http/errorBody.ts';
import { stateOf } from '../http/requestState.ts';

/** Answers a refusal of the file store, whose status may be finer than its code's (416). */
export const answerStoreError: OnError = (response, status, code, message) => {
  const body = errorBody(new ApiError(code, message), stateOf(response).requestId);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
};
