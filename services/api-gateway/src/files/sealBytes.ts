import type { FileRow, FoundBytes } from '@holdfast/db/files';
import { extensionOf } from '@holdfast/files/allowedTypes';
import { measureObject } from '@holdfast/files/measure';
import { ObjectNotFoundError, type ObjectStore } from '@holdfast/files/store';
import { checkBytes, type FileProblem, notUploaded } from './checkBytes.ts';

/**
 * Checks what was uploaded and keeps it under a key that the upload URL doesn't reach. That copy is what counts: before
 * it was made the bytes could still change.
 */
export async function sealBytes(store: ObjectStore, file: FileRow): Promise<FoundBytes | FileProblem> {
  try {
    const offered = await checkBytes(store, file);
    if ('error' in offered) return offered;
    const key = await store.seal(file.key, extensionOf(offered.contentType));
    const sealed = await checkBytes(store, { ...file, key });
    if (!('error' in sealed)) return { ...sealed, ...(await measureObject(store, sealed)) };
    await store.remove(key);
    return sealed;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return notUploaded;
    throw error;
  }
}
