import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { reasonOf } from '@holdfast/kit/within';

/** Failures of the disk or server throw StoreFailedError. */
export type ObjectStore = {
  /** Creates a missing bucket or folder. Only the setup calls it: services start while the store is unavailable. */
  prepare(): Promise<void>;
  /** Refuses a body of another size, and a contradicting `Content-Type` unless `stat` returns it. */
  presignUpload(upload: UploadTerms): Promise<string>;
  presignDownload(download: DownloadTerms): Promise<string>;
  put(key: string, body: Readable | Buffer, options: PutOptions): Promise<{ sizeBytes: number }>;
  /** Copies the object to a new key that no upload URL reaches. @throws ObjectNotFoundError */
  seal(key: string, extension?: string | null): Promise<string>;
  stat(key: string): Promise<StoredObject | null>;
  /** The stream has no time limit, for its reader may be slow. @throws ObjectNotFoundError */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** @throws ObjectNotFoundError */
  readHead(key: string, bytes: number): Promise<Buffer>;
  /** @throws ObjectNotFoundError */
  readRange(key: string, range: ByteRange): Promise<Buffer>;
  remove(key: string): Promise<void>;
};

/** `contentType` comes from the upload's PUT where the store has not checked it; otherwise it is null. */
export type StoredObject = { sizeBytes: number; contentType: string | null };

export type UploadTerms = {
  key: string;
  contentType: string | null;
  sizeBytes: number | null;
  expiresInS: number;
};
export type DownloadTerms = { key: string; filename: string; contentType: string; expiresInS: number };
export type PutOptions = { contentType: string; sizeBytes?: number | undefined };

export type ByteRange = { start: number; end: number };

export class ObjectNotFoundError extends Error {
  constructor(key: string) {
    super(`no object ${key}`);
    this.name = 'ObjectNotFoundError';
  }
}

/** May work later, or when there is space (`isFull`). */
export class StoreFailedError extends Error {
  readonly isFull: boolean;

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.name = 'StoreFailedError';
    this.isFull = isFull(cause);
  }
}

const fullCodes = /^(ENOSPC|EDQUOT|.*StorageFull|.*QuotaExceeded|InsufficientStorage)$/;

function isFull(error: unknown): boolean {
  const { code, name, $metadata } = Object(error);
  return [code, name].some((text) => fullCodes.test(String(text))) || $metadata?.httpStatusCode === 507;
}

/** Other errors than the store's are bugs and stay as they are. */
export async function atStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, name, $metadata } = Object(error);
    const isStores = typeof code === 'string' || name === 'TimeoutError' || $metadata !== undefined;
    throw isStores ? new StoreFailedError(error) : error;
  }
}

/** In both stores, so that a key works with either. */
export function assertKey(key: string): void {
  const isValid = key.length <= 200 && key.split('/').every((segment) => /^[\w-][\w.-]*$/.test(segment));
  if (!isValid) throw new Error(`not an object key: ${JSON.stringify(key)}`);
}

/** A new key without any URL. Models take the type of a file from the extension in its URL's path. */
export function sealedKey(key: string, extension: string | null): string {
  assertKey(key);
  return [key, randomUUID(), extension].filter((part) => part !== null).join('.');
}
