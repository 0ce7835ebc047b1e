import { AbortedError, errorOf } from './errors.ts';
import { type FileData, type FileOptions, sourceOf } from './fileSource.ts';
import { type Attempt, type Http, has, type RequestOptions, startAttempt } from './http.ts';
import { OutputFile } from './outputFile.ts';
import type { ResponsePromise } from './responsePromise.ts';
import { builtin } from './runtime.ts';
import { chunksOf } from './serverSentEvents.ts';
import type { DownloadUrl, StoredFile } from './types.ts';

export type UploadOptions = RequestOptions &
  FileOptions & {
    /** Days until the file is deleted. Default: it is kept. */
    ttlDays?: number;
    /** Called as bytes are sent, and awaited. Where the runtime does not report them, at the beginning and the end. */
    onProgress?: (sentBytes: number, totalBytes: number) => unknown;
  };

/** Each MiB of a file adds a second to the timeout of its upload or download. */
const bytesPerTimeoutSecond = 1_048_576;
const chunkBytes = 65_536;

const pathOf = (id: string) => `/v1/files/${encodeURIComponent(id)}`;

export class Files {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Uploads a file and checks it. Its `file_id` can be used in any number of inputs. */
  async upload(data: FileData, options: UploadOptions = {}): Promise<StoredFile> {
    return await this.confirm(await this.send(data, options), options);
  }

  /** Uploads a file without checking it, which its first use does. Returns its id. */
  async send(data: FileData, options: UploadOptions = {}): Promise<string> {
    const { blob, filename, contentType } = await unlessAborted(sourceOf(data).open(), options.signal);
    const declared = { filename: options.filename ?? filename, type: options.contentType ?? contentType };
    const body = {
      // What is not declared follows from the bytes.
      purpose: 'INPUT',
      size_bytes: blob.size,
      ...(declared.filename && { filename: declared.filename }),
      ...(declared.type && { content_type: declared.type }),
      ...(options.ttlDays !== undefined && { ttl_days: options.ttlDays }),
    };
    // A repetition leaves an upload behind that is never used, and expires.
    const call = {
      method: 'POST',
      path: '/v1/files/upload',
      body,
      isRepeatable: true,
      isExpected: has('file_id', 'upload_url'),
    } as const;
    const { file_id: id, upload_url: url } = await this.#http.json<{ file_id: string; upload_url: string }>(
      call,
      options,
    );
    await this.#http.repeat(() => this.#put(url, blob, declared.type, options), {
      ...options,
      isRepeatable: true,
    });
    return id;
  }

  async #put(url: string, blob: Blob, type: string | undefined, options: UploadOptions): Promise<void> {
    const { settings } = this.#http;
    const timeoutMs = (options.timeout ?? settings.timeout) + (blob.size / bytesPerTimeoutSecond) * 1000;
    const attempt = startAttempt(options.signal, timeoutMs);
    const local: LocalFailure = { error: null };
    try {
      await options.onProgress?.(0, blob.size);
      const body = uploadBody(blob, type, options.onProgress, local);
      const init = { method: 'PUT', signal: attempt.signal, ...body };
      const response = await attempt
        .reading(() => settings.fetch(url, init))
        .catch((error: unknown) => {
          throw local.error ?? error;
        });
      const text = await attempt.reading(() => response.text());
      if (!response.ok) throw errorOf(response, text);
      await options.onProgress?.(blob.size, blob.size);
    } finally {
      attempt.close();
    }
  }

  /** Checks an upload at once. */
  confirm(id: string, options?: RequestOptions): ResponsePromise<StoredFile> {
    return this.#http.json(
      {
        method: 'POST',
        path: '/v1/files/confirm',
        body: { file_id: id },
        isRepeatable: true,
        isExpected: has('file_id'),
      },
      options,
    );
  }

  /** The record of a file. */
  get(id: string, options?: RequestOptions): ResponsePromise<StoredFile> {
    return this.#http.json({ method: 'GET', path: pathOf(id), isExpected: has('file_id') }, options);
  }

  /** A URL that needs no key and works for an hour. */
  url(id: string, options?: RequestOptions): ResponsePromise<DownloadUrl> {
    return this.#http.json({ method: 'GET', path: `${pathOf(id)}/url`, isExpected: has('url') }, options);
  }

  /** From now on the file cannot be read or used in an input. */
  delete(id: string, options?: RequestOptions): ResponsePromise<{ file_id: string; deleted: boolean }> {
    const goneBody = { file_id: id, deleted: true };
    return this.#http.json(
      { method: 'DELETE', path: pathOf(id), goneBody, isExpected: has('deleted') },
      options,
    );
  }

  /** The file of an id, with `.url()`, `.bytes()` and `.save(path)`. */
  open(id: string): OutputFile {
    return new OutputFile(this, { file_id: id });
  }

  async bytes(id: string, options?: RequestOptions): Promise<Uint8Array> {
    return new Uint8Array(await (await this.blob(id, options)).arrayBuffer());
  }

  blob(id: string, options: RequestOptions = {}): Promise<Blob> {
    return this.#download(id, options, async (chunks, type) => {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of chunks) parts.push(chunk as Uint8Array<ArrayBuffer>);
      return new Blob(parts, { type });
    });
  }

  /** Writes a file to a path of this machine. An existing file is replaced once all bytes have arrived. */
  async save(id: string, path: string, options: RequestOptions = {}): Promise<void> {
    const { open, rename, rm } = builtin('node:fs/promises');
    const partial = `${path}.${crypto.randomUUID()}.part`;
    try {
      await this.#download(id, options, async (chunks) => {
        const target = await open(partial, 'w');
        try {
          for await (const chunk of chunks) await target.appendFile(chunk);
          await target.sync();
        } finally {
          await target.close();
        }
      });
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  #download<Result>(
    id: string,
    options: RequestOptions,
    read: (chunks: AsyncIterable<Uint8Array>, type: string) => Promise<Result>,
  ): Promise<Result> {
    const call = { method: 'GET', path: `${pathOf(id)}/download`, headers: { Accept: '*/*' } } as const;
    const attemptDownload = async () => {
      const { response, close } = await this.#http.open(call, options);
      const size = Number(response.headers.get('content-length') ?? 0);
      const timeoutMs =
        (options.timeout ?? this.#http.settings.timeout) + (size / bytesPerTimeoutSecond) * 1000;
      const attempt = startAttempt(options.signal, timeoutMs);
      attempt.signal.addEventListener('abort', close, { once: true });
      try {
        const type = response.headers.get('content-type') ?? '';
        return await read(chunksWithin(attempt, response), type);
      } finally {
        attempt.close();
      }
    };
    return this.#http.repeat(attemptDownload, { ...options, isRepeatable: true });
  }
}

/** A stream of the caller may never end. */
async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new AbortedError(signal?.reason));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Only what the network does is a `ConnectionError`, and repeated: not a full disk. */
async function* chunksWithin(
  attempt: Attempt,
  { body }: Response,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!body) return;
  const chunks = chunksOf(body);
  try {
    for (;;) {
      const { done, value } = await attempt.reading(() => chunks.next());
      if (done) return;
      yield value;
    }
  } finally {
    await chunks.return();
  }
}

/** Why the bytes of an upload could not be read: `fetch` would report it as a failed connection. */
type LocalFailure = { error: unknown };

type UploadInit = {
  body: Blob | ReadableStream<Uint8Array>;
  headers: Record<string, string>;
  duplex?: 'half';
};

/** Node can count the bytes that it sends; others would send a stream without its length, which S3 refuses. */
function uploadBody(
  blob: Blob,
  type: string | undefined,
  onProgress: UploadOptions['onProgress'],
  local: LocalFailure,
): UploadInit {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
  if (!isNode()) return { body: type === undefined ? blob.slice() : blob.slice(0, blob.size, type), headers };
  headers['Content-Length'] = String(blob.size);
  const report = async (sentBytes: number) => void (await onProgress?.(sentBytes, blob.size));
  return { body: counted(blob, report, local), headers, duplex: 'half' };
}

function isNode(): boolean {
  const { Deno, Bun } = globalThis as { Deno?: unknown; Bun?: unknown };
  const hasUndici = typeof process !== 'undefined' && process.versions?.['undici'] !== undefined;
  return hasUndici && Deno === undefined && Bun === undefined;
}

function counted(blob: Blob, report: (sentBytes: number) => Promise<void>, local: LocalFailure) {
  let sent = 0;
  async function send(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const chunk = new Uint8Array(await blob.slice(sent, sent + chunkBytes).arrayBuffer());
    if (chunk.length === 0) {
      controller.close();
      return;
    }
    sent += chunk.length;
    controller.enqueue(chunk);
    if (sent < blob.size) await report(sent);
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        await send(controller);
      } catch (error) {
        local.error = error;
        throw error;
      }
    },
  });
}
