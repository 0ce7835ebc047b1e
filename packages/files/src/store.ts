import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { reasonOf } from '@holdfast/kit/within';

/**
 * Where file bytes live. What only the store fails at throws StoreFailedError. Keys are ours: segments of letters, digits, `.`, `_`
 * and `-`, joined by `/`.
 */
export type ObjectStore = {
  /** Makes the bucket or folder when it is missing: for the setup. No service does it, so each starts without the store. */
  prepare(): Promise<void>;
  /**
   * A URL for PUT. A body of another size than given here is refused. So is a `Content-Type` that contradicts the one
   * given, where the store can tell; elsewhere `stat` shows it. A PUT without a `Content-Type` is as good.
   */
  presignUpload(upload: UploadTerms): Promise<string>;
  /** A URL for GET that answers as an attachment of this name and type. */
  presignDownload(download: DownloadTerms): Promise<string>;
  /** Stores whole or not at all: a body that fails leaves nothing under the key. */
  put(key: string, body: Readable | Buffer, options: PutOptions): Promise<{ sizeBytes: number }>;
  /**
   * Keeps the bytes that are under the key now under another, which it returns: no upload URL reaches that one. It
   * ends in the extension, if one is given. The old key stays. Throws ObjectNotFoundError.
   */
  seal(key: string, extension?: string | null): Promise<string>;
  stat(key: string): Promise<StoredObject | null>;
  /** Throws ObjectNotFoundError. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** At most the first `bytes` bytes. Throws ObjectNotFoundError. */
  readHead(key: string, bytes: number): Promise<Buffer>;
  /** Removing what isn't there is no error. */
  remove(key: string): Promise<void>;
};

/** `contentType`: what the upload's PUT said, where the store has not judged that itself; null: nothing. */
export type StoredObject = { sizeBytes: number; contentType: string | null };

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

/** The disk or the server behind the store failed: it may work again later, or when there is room (`isFull`). */
export class StoreFailedError extends Error {
  readonly isFull: boolean;

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.name = 'StoreFailedError';
    this.isFull = isFull(cause);
  }
}

/** Codes of file systems, then those of S3 servers, as error code or name. */
const fullCodes = /^(ENOSPC|EDQUOT|.*StorageFull|.*QuotaExceeded|InsufficientStorage)$/;

function isFull(error: unknown): boolean {
  const { code, name, $metadata } = Object(error);
  return [code, name].some((one) => fullCodes.test(String(one))) || $metadata?.httpStatusCode === 507;
}

/** Runs what nothing but the store can fail at; bugs stay what they are. */
export async function atStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, $metadata } = Object(error);
    throw typeof code === 'string' || $metadata !== undefined ? new StoreFailedError(error) : error;
  }
}

/** Guards both backends alike, so that a key that works on one works on the other. */
export function assertKey(key: string): void {
  const isValid = key.length <= 200 && key.split('/').every((segment) => /^[\w-][\w.-]*$/.test(segment));
  if (!isValid) throw new Error(`not an object key: ${JSON.stringify(key)}`);
}

/** One that nobody holds a URL for. It ends in the extension: models tell the type of a file by its URL's path. */
export function sealedKey(key: string, extension: string | null): string {
  assertKey(key);
  return [key, randomUUID(), extension].filter((part) => part !== null).join('.');
}
