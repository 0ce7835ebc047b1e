import { Account, ApiKeys, ModelCatalogue, PortalSessions, readUsage, type UsageFilter } from './account.ts';
import { Batches } from './batches.ts';
import { type HoldfastOptions, readSettings } from './config.ts';
import { type ExecutionStream, type StreamOptions, startStream } from './executionStream.ts';
import { Executions } from './executions.ts';
import { Files } from './files.ts';
import { type Call, type Http, openHttp, type RequestOptions } from './http.ts';
import { withFiles } from './outputFile.ts';
import type { ResponsePromise } from './responsePromise.ts';
import { type Run, type RunOptions, run } from './run.ts';
import type { DeltaOf, Execution, InputOf, ModelSlug, OutputOf, StreamingSlug, Usage } from './types.ts';
import { Webhooks } from './webhookResources.ts';

/** A client of one Holdfast. */
export class Holdfast {
  readonly executions: Executions;
  readonly batches: Batches;
  readonly models: ModelCatalogue;
  readonly files: Files;
  readonly balance: Account;
  readonly apiKeys: ApiKeys;
  readonly portalSessions: PortalSessions;
  readonly webhooks: Webhooks;
  readonly #http: Http;

  /** @throws TypeError if there is no URL or key, or a key in a browser */
  constructor(options: HoldfastOptions = {}) {
    this.#http = openHttp(readSettings(options));
    this.executions = new Executions(this.#http);
    this.batches = new Batches(this.#http);
    this.models = new ModelCatalogue(this.#http);
    this.files = new Files(this.#http);
    this.balance = new Account(this.#http);
    this.apiKeys = new ApiKeys(this.#http);
    this.portalSessions = new PortalSessions(this.#http);
    this.webhooks = new Webhooks(this.#http);
  }

  /**
   * Runs a model and waits for its output. Files in the input are uploaded; files in the output have `.save(path)`.
   *
   * @throws ExecutionError if the execution failed, expired or was cancelled
   * @throws WaitTimeoutError after `timeout` milliseconds; `client.executions.wait(error.execution.id)` resumes
   * @throws AbortedError when the signal is aborted
   * @throws ApiError if the API refused it; ConnectionError if there was no response. To repeat the run without a second
   * charge, pass the error's `idempotencyKey` and its `input`, which has the ids of uploaded files: files that are uploaded
   * again have other ids, and with them the API refuses the key
   */
  run<Slug extends ModelSlug>(
    model: Slug,
    input: InputOf<Slug>,
    options: RunOptions = {},
  ): Promise<Run<OutputOf<Slug>>> {
    return run(this.#runner(), model, input, options);
  }

  /**
   * Runs a model that streams, and yields its output while it is made:
   * `for await (const delta of client.stream(model, input))`. It continues by itself where a connection breaks or a server
   * restarts. The create is sent at once; errors are those of `run`, thrown where the stream is read. Breaking out of the
   * loop stops reading and leaves the execution running, unless `cancelOnDisconnect` is true.
   */
  stream<Slug extends StreamingSlug>(
    model: Slug,
    input: InputOf<Slug>,
    options: StreamOptions = {},
  ): ExecutionStream<DeltaOf<Slug>, OutputOf<Slug>> {
    return startStream(this.#runner(), model, input, options);
  }

  #runner() {
    return { http: this.#http, executions: this.executions, files: this.files };
  }

  /** The output of an execution, with files that have `.save(path)`; undefined unless it is completed. */
  output<Slug extends ModelSlug>(execution: Execution): OutputOf<Slug> | undefined {
    return execution.result && (withFiles(this.files, execution.result) as OutputOf<Slug>);
  }

  /** Executions and their cost in a period, by model, day, API key or metadata. */
  usage(filter: UsageFilter = {}, options?: RequestOptions): ResponsePromise<Usage> {
    return readUsage(this.#http, filter, options);
  }

  /** Any other request: with the key, the retries and the errors of this client. */
  request<Body extends object>(call: Call, options?: RequestOptions): ResponsePromise<Body> {
    return this.#http.json<Body>({ isExpected: () => true, ...call }, options);
  }
}
