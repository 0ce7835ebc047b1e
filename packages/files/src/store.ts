import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Where file bytes live. Keys are ours: segments of letters, digits, `.`, `_` and `-`, joined by `/`. */
export type ObjectStore = {
  /** Makes the bucket or folder when it is missing: for the setup. No service does it, so each starts without the store. */
  prepare(): Promise<void>;
  /** A URL for one PUT; what is given here must be sent exactly so. The caller sends `headers` with it. */
  presignUpload(upload: UploadTerms): Promise<{ url: string; headers?: Record<string, string> }>;
  /** A URL for GET that answers as an attachment of this name and type. */
  presignDownload(download: DownloadTerms): Promise<string>;
  /** Stores whole or not at all: a body that fails leaves nothing under the key. */
  put(key: string, body: Readable | Buffer, options: PutOptions): Promise<{ sizeBytes: number }>;
  /**
   * Keeps the bytes that are under the key now under another, which it answers: no upload URL reaches that one. The old
   * key stays. Throws ObjectNotFoundError.
   */
  seal(key: string): Promise<string>;
  stat(key: string): Promise<{ sizeBytes: number } | null>;
  /** Throws ObjectNotFoundError. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** At most the first `bytes` bytes. Throws ObjectNotFoundError. */
  readHead(key: string, bytes: number): Promise<Buffer>;
  /** Removing what isn't there is no error. */
  remove(key: string): Promise<void>;
};

export type UploadTerms = {
  key: string;
  contentType: string | null;
  sizeBytes: number | null;
  expiresInS: number;
};
export type DownloadTerms = { key: string; filename: string; contentType: string; expiresInS: number };
export type PutOptions = { contentType: string; sizeBytes?: number };

/** Both ends inclusive, as in HTTP. */
export type ByteRange = { start: number; end: number };

export class ObjectNotFoundError extends Error {
  constructor(key: string) {
    super(`no object ${key}`);
    this.name = 'ObjectNotFoundError';
  }
}

/** Guards both backends alike, so that a key that works on one works on the other. */
export function assertKey(key: string): void {
  const isValid = key.length <= 200 && key.split('/').every((segment) => /^[\w-][\w.-]*$/.test(segment));
  if (!isValid) throw new Error(`not an object key: ${JSON.stringify(key)}`);
}

/** One that nobody holds a URL for. */
export function sealedKey(key: string): string {
  assertKey(key);
  return `${key}.${randomUUID()}`;
}
