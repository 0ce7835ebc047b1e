import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { assertKey, atStore, StoreFailedError } from '../store.ts';

/** Spread over 65 536 folders; the key stays readable in the name. */
export function objectPath(root: string, key: string): string {
  assertKey(key);
  const hash = createHash('sha256').update(key).digest('hex');
  return join(root, hash.slice(0, 2), hash.slice(2, 4), encodeURIComponent(key));
}

/** For writes in progress: on the file system of the objects, so that the rename is atomic. */
export function incomingFolder(root: string): string {
  return join(root, '.incoming');
}

/** @throws for a body of the wrong size, before the object is visible */
export type CheckSize = (sizeBytes: number, isComplete: boolean) => void;

/** Renames a temporary file: readers see the old object or the whole new one. `beforeRename` may refuse by throwing. */
export async function writeObject(
  root: string,
  key: string,
  body: Readable,
  check: CheckSize,
  beforeRename: () => Promise<void> = async () => {},
): Promise<number> {
  const target = objectPath(root, key);
  const incoming = join(incomingFolder(root), randomUUID());
  let sizeBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      try {
        check(sizeBytes, false);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  try {
    await atStore(() => mkdir(incomingFolder(root), { recursive: true }));
    const file = createWriteStream(incoming, { flush: true, flags: 'wx' });
    await pipeline(body, counted, file).catch(rethrowDiskErrors);
    check(sizeBytes, true);
    await atStore(() => mkdir(dirname(target), { recursive: true }));
    await beforeRename();
    await atStore(() => rename(incoming, target));
    return sizeBytes;
  } catch (error) {
    await rm(incoming, { force: true });
    throw error;
  }
}

/** Only errors of the disk become StoreFailedError, not those of the body. */
function rethrowDiskErrors(error: NodeJS.ErrnoException): never {
  throw diskCodes.has(error.code ?? '') ? new StoreFailedError(error) : error;
}

const diskCodes = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'ESTALE',
  'ENOMEM',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
]);
