import { builtin } from './runtime.ts';
import { blobOfChunks } from './serverSentEvents.ts';

/** The largest file that Holdfast takes. */
export const maxFileBytes = 157_286_400;

/** Bytes, wherever they are. A text is no source: a path is `file(path)`, so that no input can name a file of yours. */
export type FileData =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | Response
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | FileSource;

/** In the input of a model: the id of an uploaded file, or a file to upload. */
export type FileInput = string | FileData;

export type FileOptions = { filename?: string; contentType?: string };

/** A file to upload, with a name and type of your choice. See `file`. */
export class FileSource {
  readonly #data: string | Exclude<FileData, FileSource>;
  readonly options: FileOptions;

  constructor(data: string | Exclude<FileData, FileSource>, options: FileOptions = {}) {
    this.#data = data;
    this.options = options;
  }

  /** @throws if the file cannot be read */
  async open(): Promise<{ blob: Blob; filename: string | undefined; contentType: string | undefined }> {
    const data = this.#data;
    const blob = typeof data === 'string' ? await openPath(data) : await blobOf(data);
    const { filename = nameOf(data), contentType } = this.options;
    return { blob, filename, contentType: contentType ?? (blob.type || undefined) };
  }
}

/** A file of this machine, by its path; or data with a name and type. */
export function file(source: string | Exclude<FileData, FileSource>, options: FileOptions = {}): FileSource {
  return new FileSource(source, options);
}

export function sourceOf(data: FileData): FileSource {
  return data instanceof FileSource ? data : new FileSource(data);
}

export function isFileData(value: unknown): value is FileData {
  if (typeof value !== 'object' || value === null) return false;
  return (
    value instanceof FileSource ||
    value instanceof Blob ||
    value instanceof Uint8Array ||
    value instanceof ArrayBuffer ||
    value instanceof Response ||
    value instanceof ReadableStream ||
    Symbol.asyncIterator in value
  );
}

async function openPath(path: string): Promise<Blob> {
  const fs = builtin('node:fs');
  // Names the path in its error, as openAsBlob does not.
  await builtin('node:fs/promises').access(path);
  // Reads as it is sent, and so in little memory.
  if (typeof fs.openAsBlob === 'function') return await fs.openAsBlob(path);
  return new Blob([await builtin('node:fs/promises').readFile(path)]);
}

async function blobOf(data: Exclude<FileData, FileSource>): Promise<Blob> {
  if (data instanceof Blob) return data;
  if (data instanceof Response) return await data.blob();
  // A view's type allows shared memory, which a Blob copies as it does any other.
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return new Blob([data]);
  // A stream can be read once, but an upload may have to be repeated, and its size must be known.
  return await blobOfChunks(
    data,
    maxFileBytes,
    () => new RangeError(`A file has at most ${maxFileBytes} bytes.`),
  );
}

/** Names that files, streams of files and paths bring along. */
function nameOf(data: string | FileData): string | undefined {
  const { name, path } = data as { name?: unknown; path?: unknown };
  const found = [typeof data === 'string' ? data : undefined, name, path].find(
    (one) => typeof one === 'string' && one !== '',
  );
  return (found as string | undefined)?.split(/[\\/]/).at(-1);
}
