import { findBatchByKey, insertBatch, type NewBatch } from '@holdfast/db/batches/batches';
import type { Batch } from '@holdfast/domain/batch';
import { ApiError } from '@holdfast/domain/errors';
import type { Context } from '../context/context.ts';

/** Creates a batch once for its idempotency key. @throws ApiError IDEMPOTENCY_KEY_REUSED */
export async function createOnce(
  context: Context,
  batch: NewBatch,
): Promise<{ batch: Batch; isNew: boolean }> {
  const created = await insertBatch(context.db, batch);
  if (created) return { batch: created, isNew: true };
  const { organizationId, idempotencyKey, requestHash } = batch;
  const known = await findReplayed(context, organizationId, idempotencyKey ?? '', requestHash ?? '');
  if (!known) throw new ApiError('NOT_FOUND', 'The original batch no longer exists.');
  return { batch: known, isNew: false };
}

/** The batch that this key created; null: none. @throws ApiError IDEMPOTENCY_KEY_REUSED */
export async function findReplayed(
  { db }: Context,
  organizationId: string,
  key: string,
  hash: string,
): Promise<Batch | null> {
  const known = await findBatchByKey(db, organizationId, key);
  if (known && known.requestHash !== hash) {
    throw new ApiError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used with a different request body. Use a new key for a new request.',
    );
  }
  return known;
}
