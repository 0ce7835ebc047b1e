import { getBatch } from '@holdfast/db/batches/batches';
import type { Batch } from '@holdfast/domain/batch';
import { ApiError } from '@holdfast/domain/errors';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { notFound, requireId } from '../http/fields.ts';

type Reader = Pick<Caller, 'organizationId' | 'models' | 'apiKeyId'>;

/** A key that is limited to models reads its own batches alone: others may have items of any model. */
export const mayReadBatch = ({ models, apiKeyId }: Reader, batch: Pick<Batch, 'apiKeyId'>): boolean =>
  models.length === 0 || batch.apiKeyId === apiKeyId;

/** @throws ApiError NOT_FOUND */
export async function findBatch({ db }: Pick<Context, 'db'>, caller: Reader, id: string): Promise<Batch> {
  const batch = await getBatch(db, caller.organizationId, requireId('bat', id, 'batch'));
  if (!batch || !mayReadBatch(caller, batch)) throw notFound('batch');
  return batch;
}

/** For what its status does not allow. */
export function statusConflict({ status }: Pick<Batch, 'status'>, rule: string): ApiError {
  return new ApiError('BATCH_STATUS_CONFLICT', `The batch is ${status}: ${rule}.`);
}
