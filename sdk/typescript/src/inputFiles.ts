import { AbortedError } from './errors.ts';
import { type FileData, isFileData } from './fileSource.ts';
import type { Files } from './files.ts';
import type { UploadProgress } from './waiting.ts';

const maxUploads = 4;

type FoundFile = { data: FileData; fields: string[] };

type Options = {
  signal?: AbortSignal | undefined;
  onProgress?: ((event: UploadProgress) => unknown) | undefined;
};

/** A copy of the input with the id of an uploaded file in place of everything file-like. */
export async function uploadInput(
  files: Files,
  input: Record<string, unknown>,
  options: Options = {},
): Promise<Record<string, unknown>> {
  const found = new Map<FileData, FoundFile>();
  visit(input, 'input', (data, field) => {
    const known = found.get(data);
    if (known) known.fields.push(field);
    else found.set(data, { data, fields: [field] });
  });
  if (found.size === 0) return input;
  const ids = await uploadAll(files, [...found.values()], options);
  return replace(input, ids) as Record<string, unknown>;
}

async function uploadAll(files: Files, found: FoundFile[], options: Options): Promise<Map<FileData, string>> {
  const ids = new Map<FileData, string>();
  // The first failure ends the other uploads.
  const stopping = new AbortController();
  const onAbort = () => stopping.abort(options.signal?.reason);
  if (options.signal?.aborted) throw new AbortedError(options.signal.reason);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const pending = [...found];
  async function uploadNext(): Promise<void> {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const { data, fields } = next;
      const onProgress = async (sentBytes: number, totalBytes: number) => {
        for (const field of fields)
          await options.onProgress?.({ type: 'upload', field, sentBytes, totalBytes });
      };
      ids.set(data, await files.send(data, { signal: stopping.signal, onProgress }));
    }
  }
  try {
    await Promise.all(Array.from({ length: maxUploads }, uploadNext));
  } catch (error) {
    stopping.abort();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
  }
  return ids;
}

function visit(value: unknown, field: string, onFile: (data: FileData, field: string) => void): void {
  if (isFileData(value)) onFile(value, field);
  else if (Array.isArray(value))
    for (const [n, item] of value.entries()) visit(item, `${field}[${n}]`, onFile);
  else if (isPlain(value))
    for (const [name, item] of Object.entries(value)) visit(item, `${field}.${name}`, onFile);
}

/** Other objects and lists with the same values; files stay as they are. */
export function copyOf(value: Record<string, unknown>): Record<string, unknown> {
  return replace(value, null) as Record<string, unknown>;
}

function replace(value: unknown, ids: ReadonlyMap<FileData, string> | null): unknown {
  if (isFileData(value)) return ids ? ids.get(value) : value;
  if (Array.isArray(value)) return value.map((item) => replace(item, ids));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, ids)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
