import type { Hash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { calledBackAttempt, type InboxState, type NewCallback, storeCallback } from '@holdfast/db/callbacks';
import { insertOutput, markFilesDeleted } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { StoreFailedError } from '@holdfast/files/store';
import type { Context } from '../../context/context.ts';

const object = { filename: 'callback', contentType: 'application/octet-stream' };

type Callback = Omit<NewCallback, 'eventKey' | 'body' | 'objectKey'>;

/** `eventKey` must be called after `digest` has seen the whole body. */
type LargeBody = { body: Readable; sizeBytes: number | undefined; digest: Hash; eventKey(): string };

/**
 * Streams a callback that is too large for a row to the object store and adds it to the inbox. The object has a row in
 * `files` that expires in a day, so a crash or an unread callback leaves nothing behind.
 * @throws ApiError when the body is refused; StoreFailedError
 */
export async function storeLargeCallback(
  context: Context,
  callback: Callback,
  { body, sizeBytes, digest, eventKey }: LargeBody,
): Promise<InboxState> {
  const { db, log, store } = context;
  const attempt = await calledBackAttempt(db, callback);
  if (!attempt) return 'unknown';
  if (attempt.room === 'full') return 'full';
  if (attempt.isSettled) {
    await finished(body.resume());
    return 'free';
  }
  const { executionId, organizationId } = attempt;
  const logFields = { executionId, provider: callback.provider };
  const id = newId('file');
  await insertOutput(db, { ...object, id, key: id, organizationId, executionId });
  try {
    const stored = await store.put(id, hashed(body, digest), { ...object, sizeBytes });
    sizeBytes = stored.sizeBytes;
  } catch (error) {
    const apiError = toApiError(error);
    log.warn({ ...logFields, err: apiError }, 'could not store a large callback');
    await removeObject(context, id, executionId);
    throw apiError;
  }
  const { room, isStored } = await storeCallback(db, {
    ...callback,
    eventKey: eventKey(),
    body: null,
    objectKey: id,
  });
  log.info({ ...logFields, sizeBytes, isStored }, 'large callback received');
  if (!isStored) await removeObject(context, id, executionId);
  return room;
}

function hashed(body: Readable, digest: Hash): Readable {
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  // The store sees a failure through its own stream.
  pipeline(body, through, () => {});
  return through;
}

/** 503 for a full store instead of 507, because Cog retries only the former. */
function toApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const failure = error instanceof StoreFailedError ? error : new StoreFailedError(error);
  if (!failure.isFull) return failure;
  const headers = { 'Retry-After': '60' };
  return new ApiError('SERVICE_UNAVAILABLE', 'The file store has no room for large callbacks.', { headers });
}

async function removeObject({ db, log, store }: Context, id: string, executionId: string): Promise<void> {
  try {
    await store.remove(id);
    await markFilesDeleted(db, [id]);
  } catch (error) {
    log.warn(
      { err: error, executionId },
      'could not delete the stored body of a large callback; it will expire',
    );
  }
}
