import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { atStore, StoreFailedError } from '../store.ts';
import { incomingFolder, incomingPath, objectPath } from './paths.ts';

/** Refuses before the bytes appear under their key. */
export type CheckSize = (sizeBytes: number, isComplete: boolean) => void;

/**
 * Writes to a temporary file, flushes and renames it: readers see the old object or the whole new one.
 * `beforeRename` has the last word.
 */
export async function writeObject(
  root: string,
  key: string,
  body: Readable,
  check: CheckSize,
  beforeRename: () => Promise<void> = async () => {},
): Promise<number> {
  const target = objectPath(root, key);
  const incoming = incomingPath(root);
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
    await pipeline(body, counted, createWriteStream(incoming, { flush: true, flags: 'wx' })).catch(ofDisk);
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

/** What the body failed with is the caller's. @throws StoreFailedError for what the disk failed with, else the error */
function ofDisk(error: NodeJS.ErrnoException): never {
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
