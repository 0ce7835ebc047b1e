import { type AddedItems, addLines, type BatchInput, linesOf } from './batchItems.ts';
import { readResults } from './batchResults.ts';
import { type BatchRun, type RunBatchOptions, runBatch } from './batchRun.ts';
import { HoldfastError } from './errors.ts';
import { type Http, has, type RequestOptions } from './http.ts';
import { readIdempotencyKey } from './idempotencyKey.ts';
import { type List, listOf } from './list.ts';
import { ResponsePromise, type WithResponse } from './responsePromise.ts';
import {
  type Batch,
  type BatchItem,
  type BatchResult,
  type CreateBatch,
  isBatch,
  type RetryBatchFilter,
} from './types.ts';

export type CreateBatchOptions = RequestOptions & {
  /** Two creates with the same key are one batch. Default: a random key. */
  idempotencyKey?: string | Promise<string> | null | undefined;
};

export type BatchFilter = { status?: string; limit?: number };
export type BatchItemFilter = { status?: string; limit?: number };

const pathOf = (id: string) => `/v1/batches/${encodeURIComponent(id)}`;

export class Batches {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Runs items, waits until all have ended, and returns the batch with an iterator of their results. A run that was broken off
   * goes on with the same `idempotencyKey`, or the `id` of its batch: what it has is neither added nor paid twice.
   */
  run(items: BatchInput, options: RunBatchOptions = {}): Promise<BatchRun> {
    return runBatch(this, items, options);
  }

  /** Creates a batch, which takes items until it is sealed. */
  create(body: CreateBatch = {}, options: CreateBatchOptions = {}): ResponsePromise<Batch> {
    return new ResponsePromise(this.#create(JSON.stringify(body), options));
  }

  async #create(body: string, options: CreateBatchOptions): Promise<WithResponse<Batch>> {
    const idempotencyKey = await readIdempotencyKey(options.idempotencyKey);
    const headers = { 'Idempotency-Key': idempotencyKey };
    const call = { method: 'POST', path: '/v1/batches', body, headers, isRepeatable: true } as const;
    try {
      return await this.#http.json<Batch>({ ...call, isExpected: isBatch }, options).withResponse();
    } catch (error) {
      if (error instanceof HoldfastError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /** Adds items to an open batch: those of an array or an iterator, or the lines of a file. An item that it has is a duplicate. */
  addItems(id: string, items: BatchInput, options: RequestOptions = {}): Promise<AddedItems> {
    return addLines(this.#http, id, linesOf(items), options);
  }

  get(id: string, options?: RequestOptions): ResponsePromise<Batch> {
    return this.#http.json({ method: 'GET', path: pathOf(id), isExpected: isBatch }, options);
  }

  /** Batches, newest first. */
  list(filter: BatchFilter = {}, options?: RequestOptions): List<Batch> {
    return listOf(this.#http, { path: '/v1/batches', query: filter }, 'data', options);
  }

  items(id: string, filter: BatchItemFilter = {}, options?: RequestOptions): List<BatchItem> {
    return listOf(this.#http, { path: `${pathOf(id)}/items`, query: filter }, 'data', options);
  }

  /** The items that have ended so far, each with its output or its error. */
  results(id: string, options: RequestOptions = {}): AsyncGenerator<BatchResult, void, undefined> {
    return readResults(this.#http, () => this.get(id, options), options);
  }

  /** It takes no more items, and its items start. */
  seal(id: string, options?: RequestOptions): ResponsePromise<Batch> {
    return this.#post(id, 'seal', undefined, options);
  }

  pause(id: string, options?: RequestOptions): ResponsePromise<Batch> {
    return this.#post(id, 'pause', undefined, options);
  }

  /** `max_cost` takes the place of the batch's. */
  resume(id: string, body: { max_cost?: string } = {}, options?: RequestOptions): ResponsePromise<Batch> {
    return this.#post(id, 'resume', body, options);
  }

  /** Cancels what waits and what runs; what completed stays, and is charged. */
  cancel(id: string, options?: RequestOptions): ResponsePromise<Batch> {
    return this.#post(id, 'cancel', undefined, options);
  }

  /** Runs items again that did not complete. */
  retry(
    id: string,
    filter: RetryBatchFilter,
    options?: RequestOptions,
  ): ResponsePromise<Batch & { retried: number }> {
    return this.#post(id, 'retry', { filter }, options);
  }

  /** Erases the content of a batch that has ended. */
  erase(id: string, options?: RequestOptions): ResponsePromise<{ id: string; deleted: boolean }> {
    return this.#http.json({ method: 'DELETE', path: pathOf(id), isExpected: has('deleted') }, options);
  }

  #post<Body extends Batch>(
    id: string,
    action: string,
    body: object | undefined,
    options?: RequestOptions,
  ): ResponsePromise<Body> {
    const call = { method: 'POST', path: `${pathOf(id)}/${action}`, body, isRepeatable: true } as const;
    return this.#http.json<Body>({ ...call, isExpected: isBatch }, options);
  }
}
