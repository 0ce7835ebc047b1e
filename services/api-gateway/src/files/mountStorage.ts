import { isFileReplaceable } from '@holdfast/db/files/isReplaceable';
import { ApiError } from '@holdfast/domain/errors';
import { createStorageHandlers } from '@holdfast/files/disk/httpHandlers';
import type { Express } from 'express';
import type { Context } from '../context.ts';
import { answerStoreError } from './answerStoreError.ts';

/** With files on this machine's disk, the gateway itself serves the signed upload and download URLs. */
export function mountStorage(app: Express, { disk, db }: Context): void {
  if (!disk) return;
  const { handleStoragePut, handleStorageGet } = createStorageHandlers(disk, answerStoreError, (id) =>
    isFileReplaceable(db, id),
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
