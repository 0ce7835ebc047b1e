import { allParts } from './bulk.ts';
import { HoldfastError } from './errors.ts';
import { type EventsOptions, type ExecutionEvent, followEvents } from './executionEvents.ts';
import { ExecutionStream, type StreamReadOptions } from './executionStream.ts';
import { checkPath, type Http, has, type RequestOptions, startAttempt } from './http.ts';
import { readIdempotencyKey } from './idempotencyKey.ts';
import { type List, listOf } from './list.ts';
import { ResponsePromise, type WithResponse } from './responsePromise.ts';
import {
  type BulkCancel,
  type BulkCancelled,
  type BulkRerun,
  type BulkRerunResult,
  type CreatedExecution,
  type CreateExecution,
  type Estimate,
  type EstimateExecution,
  type Execution,
  type ExecutionInput,
  type ExecutionResult,
  type ExecutionToken,
  isExecution,
} from './types.ts';
import { cancel, type WaitOptions, waitForEnd } from './waiting.ts';

export type CreateOptions = RequestOptions & {
  /** Two creates with the same key are one execution. Default: a random key. See `deriveKey`. */
  idempotencyKey?: string | Promise<string> | null | undefined;
};

export type ExecutionFilter = {
  status?: string;
  model?: string;
  created_after?: string;
  created_before?: string;
  /** With `metadata_value`: only executions whose metadata has a member of this name, with this value as text. */
  metadata_name?: string;
  metadata_value?: string;
  /** Items per request, 1 to 100. */
  limit?: number;
};

const minReadMs = 5000;

const pathOf = (id: string) => `/v1/executions/${encodeURIComponent(id)}`;

export class Executions {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Creates an execution and returns at once. However often the request is repeated, it has the same idempotency key; an
   * error carries that key as `idempotencyKey`.
   */
  create(body: CreateExecution, options: CreateOptions = {}): ResponsePromise<CreatedExecution> {
    // Now: the caller may change the object before the request is sent, or sent again.
    return new ResponsePromise(this.#create(JSON.stringify(body), options));
  }

  async #create(body: string, options: CreateOptions): Promise<WithResponse<CreatedExecution>> {
    const idempotencyKey = await readIdempotencyKey(options.idempotencyKey);
    const call = {
      method: 'POST',
      path: '/v1/executions',
      body,
      headers: { 'Idempotency-Key': idempotencyKey },
      isRepeatable: true,
      // Anything else did not come from the service, and the execution may exist: ask again.
      isExpected: ({ id }: { id?: unknown }) => typeof id === 'string',
    } as const;
    try {
      return await this.#http.json<CreatedExecution>(call, options).withResponse();
    } catch (error) {
      if (error instanceof HoldfastError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  /** Reads an execution. `wait`: up to this many seconds (60), until its status changes. */
  get(id: string, { wait, ...options }: RequestOptions & { wait?: number } = {}): ResponsePromise<Execution> {
    const holdMs = (wait ?? 0) * 1000;
    const call = {
      method: 'GET',
      path: pathOf(id),
      query: { wait },
      holdMs,
      isExpected: isExecution,
    } as const;
    return this.#http.json(call, options);
  }

  /** Executions, newest first. */
  list(filter: ExecutionFilter = {}, options?: RequestOptions): List<Execution> {
    return listOf(this.#http, { path: '/v1/executions', query: filter }, 'data', options);
  }

  /** The input, with the defaults of the model, until the execution is erased. */
  input(id: string, options?: RequestOptions): ResponsePromise<ExecutionInput> {
    return this.#http.json(
      { method: 'GET', path: `${pathOf(id)}/input`, isExpected: has('execution_id') },
      options,
    );
  }

  /** The output, usage and cost of a completed execution. */
  result(id: string, options?: RequestOptions): ResponsePromise<ExecutionResult> {
    return this.#http.json(
      { method: 'GET', path: `${pathOf(id)}/result`, isExpected: has('execution_id') },
      options,
    );
  }

  /** Cancels an open execution. It costs nothing, unless its model charges what its stream has shown (`on_cancel`). */
  cancel(id: string, options?: RequestOptions): ResponsePromise<Execution> {
    return this.#http.json(
      { method: 'POST', path: `${pathOf(id)}/cancel`, isRepeatable: true, isExpected: isExecution },
      options,
    );
  }

  /** Cancels the open executions that match, the newest first. `dry_run` only counts them. */
  bulkCancel(body: BulkCancel, options?: RequestOptions): Promise<BulkCancelled> {
    return allParts(this.#http, '/v1/executions/bulk-cancel', body, options);
  }

  /**
   * Runs the ended executions that match again, the newest first. `dry_run` only counts them. After an error, such as a used-up
   * balance, the same call with its `idempotencyKey` does the rest: one key runs an execution again once.
   */
  bulkRerun(body: BulkRerun, options: CreateOptions = {}): Promise<BulkRerunResult> {
    const key = readIdempotencyKey(options.idempotencyKey);
    return allParts(this.#http, '/v1/executions/bulk-rerun', body, options, key);
  }

  /** Erases the input, output and files of an execution that has ended. */
  erase(id: string, options?: RequestOptions): ResponsePromise<{ id: string; deleted: boolean }> {
    return this.#http.json({ method: 'DELETE', path: pathOf(id), isExpected: has('deleted') }, options);
  }

  /**
   * A token with which a web page reads this execution, its events and its result files, and nothing else:
   * `new Holdfast({ baseUrl, apiKey: token })`. Default: it works for 15 minutes.
   */
  createToken(
    id: string,
    { ttlSeconds, ...options }: RequestOptions & { ttlSeconds?: number } = {},
  ): ResponsePromise<ExecutionToken> {
    const body = ttlSeconds === undefined ? {} : { ttl_seconds: ttlSeconds };
    return this.#http.json(
      { method: 'POST', path: `${pathOf(id)}/token`, body, isRepeatable: true, isExpected: has('token') },
      options,
    );
  }

  /** What creating this execution would hold. */
  estimate(body: EstimateExecution, options?: RequestOptions): ResponsePromise<Estimate> {
    return this.#http.json(
      {
        method: 'POST',
        path: '/v1/executions/estimate',
        body,
        isRepeatable: true,
        isExpected: has('hold_amount'),
      },
      options,
    );
  }

  /**
   * Waits until an execution has ended, and returns it whatever its final status is.
   * @throws WaitTimeoutError after `timeout` milliseconds, AbortedError when the signal is aborted
   */
  async wait(id: string, options: WaitOptions = {}): Promise<Execution> {
    const { timeout = Number.POSITIVE_INFINITY, signal } = options;
    const startedAt = performance.now();
    checkPath(pathOf(id));
    // The first read has a little time whatever the timeout is, for only with it can a time-out report the execution.
    const reading = startAttempt(signal, Math.max(timeout, minReadMs));
    const execution = await reading
      .reading(async () => await this.get(id, { signal: reading.signal }))
      .catch(async (error: unknown) => {
        if (signal?.aborted && options.cancelOnAbort) await cancel(this.#http, id);
        throw error;
      })
      .finally(reading.close);
    return await waitForEnd(this.#http, execution, options, { startedAt });
  }

  /** Status, progress and log of an execution as they change, until it has ended. Reconnects by itself. */
  events(id: string, options?: EventsOptions): AsyncGenerator<ExecutionEvent, void, undefined> {
    return followEvents(this.#http, id, options);
  }
  /**
   * Reads the output of an execution from the beginning or after an event, while it is made and for as long as it is kept. An
   * execution without `stream: true` has one piece, at its end.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- the model decides what they are
  stream<Delta = any, Output = Record<string, any>>(
    id: string,
    options: StreamReadOptions = {},
  ): ExecutionStream<Delta, Output> {
    checkPath(pathOf(id));
    const started = Promise.resolve({ id });
    return new ExecutionStream({ http: this.#http, executions: this, started }, options);
  }
}
