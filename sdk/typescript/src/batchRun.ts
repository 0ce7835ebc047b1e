import type { Batches } from './batches.ts';
import type { BatchInput, RejectedItem } from './batchItems.ts';
import { HoldfastError } from './errors.ts';
import type { RequestOptions } from './http.ts';
import { readIdempotencyKey } from './idempotencyKey.ts';
import { sleep } from './retries.ts';
import type { Batch, BatchResult, CreateBatch } from './types.ts';

/** The fields of a create, and how to run it. */
export type RunBatchOptions = CreateBatch &
  RequestOptions & {
    /** Two runs with the same key are one batch. Default: a random key. */
    idempotencyKey?: string | Promise<string> | null | undefined;
    /** A batch to go on with, in place of a new one. */
    id?: string | undefined;
    /** Called with the batch when it has changed, and awaited. Its errors end the run, not the batch. */
    onProgress?: ((batch: Batch) => unknown) | undefined;
    /** Called with an item that was not accepted: the others run. Default: such an item ends the run before anything starts. */
    onRejected?: ((item: RejectedItem) => unknown) | undefined;
    /** Milliseconds between two reads of the batch. Default: 2000. */
    pollInterval?: number | undefined;
  };

/** `results` reads the items that have ended each time it is iterated: completed items come first. */
export type BatchRun = { batch: Batch; results: AsyncIterable<BatchResult> };

const defaultPollMs = 2000;

/** See `Batches.run`. */
export async function runBatch(
  batches: Batches,
  items: BatchInput,
  {
    id,
    idempotencyKey,
    onProgress,
    onRejected,
    pollInterval,
    signal,
    timeout,
    maxRetries,
    ...body
  }: RunBatchOptions,
): Promise<BatchRun> {
  const options = { signal, timeout, maxRetries };
  const key = await readIdempotencyKey(idempotencyKey);
  let batch: Batch | null = null;
  try {
    batch = await (id === undefined
      ? batches.create(body, { ...options, idempotencyKey: key })
      : batches.get(id, options));
    if (batch.status === 'open') {
      const added = await batches.addItems(batch.id, items, options);
      if (added.rejected > 0 && !onRejected) throw rejectedError(added.rejected, added.rejectedItems[0]);
      for (const item of added.rejectedItems) await onRejected?.(item);
      batch = await batches.seal(batch.id, options);
    }
    for (let reported = ''; ; ) {
      const state = JSON.stringify([batch.status, batch.reason, batch.counts, batch.cost]);
      if (state !== reported) await onProgress?.(batch);
      reported = state;
      if (isOver(batch)) break;
      await sleep(pollInterval ?? defaultPollMs, signal);
      batch = await batches.get(batch.id, options);
    }
  } catch (error) {
    if (error instanceof HoldfastError)
      Object.assign(error, { batch, idempotencyKey: id === undefined ? key : null });
    throw error;
  }
  const ended = batch.id;
  return { batch, results: { [Symbol.asyncIterator]: () => batches.results(ended, options) } };
}

/** One that has reached its `max_cost` does not go on by itself. */
function isOver({ ended_at: endedAt, status, reason }: Batch): boolean {
  return (endedAt ?? null) !== null || (status === 'paused' && reason === 'max_cost');
}

function rejectedError(count: number, first: RejectedItem | undefined): HoldfastError {
  const example = first && ` Line ${first.line}: ${first.error.message}`;
  return new HoldfastError({
    code: 'ITEMS_REJECTED',
    message: `${count} items were not accepted, and none has started.${example ?? ''}`,
    details: first?.error.details ?? [],
  });
}
