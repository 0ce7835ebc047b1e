import { createStorageHandlers } from '@holdfast/files/disk/httpHandlers';
import type { Express } from 'express';
import type { Context } from '../context.ts';
import { answerStoreError } from './answerStoreError.ts';

/** With files on this machine's disk, the gateway itself serves the signed upload and download URLs. */
export function mountStorage(app: Express, { disk }: Context): void {
  if (!disk) return;
  const { handleStoragePut, handleStorageGet } = createStorageHandlers(disk, answerStoreError);
  app.put('/storage/*key', handleStoragePut);
  app.get('/storage/*key', handleStorageGet);
}
