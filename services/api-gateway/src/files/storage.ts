import { isFileReplaceable } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import { createStorageHandlers, type WatchBody } from '@holdfast/files/disk/httpHandlers';
import type { OnError } from '@holdfast/files/objectResponse';
import type { Express } from 'express';
import type { Context } from '../context/context.ts';
import { requestBody } from '../http/body.ts';
import { watchPace } from '../http/bodyLimits.ts';
import { methodNotAllowed, sendError } from '../http/errors.ts';

/** When files are on the local disk, the gateway itself serves the signed upload and download URLs. */
export function mountStorage(app: Express, { disk, db, bodyPace }: Context): void {
  if (!disk) return;
  // A slow transfer may take as long as its URL is valid.
  const pace = { ...bodyPace, maxMs: null };
  const watchBody: WatchBody = (request, response, fail) => {
    requestBody(request, response);
    return watchPace(request, pace, fail);
  };
  const { handleStoragePut, handleStorageGet } = createStorageHandlers(
    disk,
    respondStoreError,
    (id) => isFileReplaceable(db, id),
    watchBody,
  );
  const handlers = new Map([
    ['PUT', handleStoragePut],
    ['GET', handleStorageGet],
    ['HEAD', handleStorageGet],
  ]);
  // Not an Express pattern: it would decode the path before the signature is checked.
  app.use('/storage', async (request, response) => {
    // The URL is the permission: a page of any origin may show the file, as it may from S3.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    const handle = handlers.get(request.method);
    if (handle) return await handle(request, response);
    throw methodNotAllowed([...handlers.keys()]);
  });
}

/** Responds with an error of the file store, which may have a more specific status than its code (416). */
export const respondStoreError: OnError = (response, status, code, message) =>
  sendError(response, new ApiError(code, message), status);
