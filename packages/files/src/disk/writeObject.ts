import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
    await mkdir(incomingFolder(root), { recursive: true });
    await pipeline(body, counted, createWriteStream(incoming, { flush: true, flags: 'wx' }));
    check(sizeBytes, true);
    await mkdir(dirname(target), { recursive: true });
    await beforeRename();
    await rename(incoming, target);
    return sizeBytes;
  } catch (error) {
    await rm(incoming, { force: true });
    throw error;
  }
}
