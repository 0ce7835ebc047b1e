import { isFileReplaceable } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import { createStorageHandlers, type WatchBody } from '@holdfast/files/disk/httpHandlers';
import type { OnError } from '@holdfast/files/objectResponse';
import type { Express } from 'express';
import type { Context } from '../context.ts';
import { requestBody } from '../http/body.ts';
import { watchPace } from '../http/bodyLimits.ts';
import { errorBody } from '../http/errors.ts';
import { stateOf } from '../http/requestState.ts';

/** With files on this machine's disk, the gateway itself serves the signed upload and download URLs. */
export function mountStorage(app: Express, { disk, db, bodyPace }: Context): void {
  if (!disk) return;
  // Slow ones are given as long as their URL lives.
  const pace = { ...bodyPace, maxMs: null };
  const watchBody: WatchBody = (request, response, fail) => {
    requestBody(request, response);
    return watchPace(request, pace, fail);
  };
  const { handleStoragePut, handleStorageGet } = createStorageHandlers(
    disk,
    answerStoreError,
    (id) => isFileReplaceable(db, id),
    watchBody,
  );
  const handlers = new Map([
    ['PUT', handleStoragePut],
    ['GET', handleStorageGet],
    ['HEAD', handleStorageGet],
  ]);
  // Not a pattern of Express's: it would decode the path before the signature is checked, and stumble.
  app.use('/storage', async (request, response) => {
    const handle = handlers.get(request.method);
    if (handle) return await handle(request, response);
    const headers = { Allow: [...handlers.keys()].join(', ') };
    throw new ApiError('METHOD_NOT_ALLOWED', `Allowed here: ${headers.Allow}.`, { headers });
  });
}

/** Answers a refusal of the file store, whose status may be finer than its code's (416). */
export const answerStoreError: OnError = (response, status, code, message) => {
  const body = errorBody(new ApiError(code, message), stateOf(response).requestId);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
};
