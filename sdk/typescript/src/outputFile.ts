import type { Files } from './files.ts';
import type { RequestOptions } from './http.ts';

const methods = new Set(['url', 'bytes', 'blob', 'save', 'constructor', '__proto__']);

/** A file in an output, with the fields that the model gave it, such as `format`, `width` and `height`. */
export class OutputFile {
  readonly file_id: string;
  readonly #files: Files;

  constructor(files: Files, fields: { file_id: string }) {
    this.#files = files;
    this.file_id = fields.file_id;
    const own = Object.entries(fields).filter(([name]) => !methods.has(name));
    Object.assign(this, Object.fromEntries(own));
  }

  /** A URL that needs no key and works for an hour. */
  async url(options?: RequestOptions): Promise<string> {
    return (await this.#files.url(this.file_id, options)).url;
  }

  bytes(options?: RequestOptions): Promise<Uint8Array> {
    return this.#files.bytes(this.file_id, options);
  }

  blob(options?: RequestOptions): Promise<Blob> {
    return this.#files.blob(this.file_id, options);
  }

  /** Writes the file to a path of this machine. An existing file is replaced once all bytes have arrived. */
  save(path: string, options?: RequestOptions): Promise<void> {
    return this.#files.save(this.file_id, path, options);
  }
}

/** A copy of an output whose files are `OutputFile`s. */
export function withFiles(files: Files, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withFiles(files, item));
  if (typeof value !== 'object' || value === null) return value;
  const { file_id: id } = value as { file_id?: unknown };
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withFiles(files, item)]),
  );
  return typeof id === 'string' ? new OutputFile(files, { ...copy, file_id: id }) : copy;
}
