import { ApiError } from '@holdfast/domain/errors';
import { createStorageHandlers } from '@holdfast/files/disk/httpHandlers';
import type { Express } from 'express';
import type { Context } from '../context.ts';
import { errorBody } from '../http/errorBody.ts';
import { stateOf } from '../http/requestState.ts';

/** With files on this machine's disk, the gateway itself serves the signed upload and download URLs. */
export function mountStorage(app: Express, { disk }: Context): void {
  if (!disk) return;
  const { handleStoragePut, handleStorageGet } = createStorageHandlers(
    disk,
    (response, status, code, message) => {
      const body = errorBody(new ApiError(code, message), stateOf(response).requestId);
      response.statusCode = status;
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.end(JSON.stringify(body));
    },
  );
  app.put('/storage/*key', handleStoragePut);
  app.get('/storage/*key', handleStorageGet);
}
