import type { Database } from '@holdfast/db/client';
import type { FileRow } from '@holdfast/db/files';
import { type FoundBytes, getFiles, markFileReady } from '@holdfast/db/files';
import type { ObjectStore } from '@holdfast/files/store';
import type { FileProblem } from './checkBytes.ts';
import { sealBytes } from './sealBytes.ts';

/** A file whose bytes are there and right. */
export type ReadyFile = FileRow & { contentType: string; sizeBytes: number };

type Confirmed = ReadyFile | FileProblem;
type Stores = { db: Database; store: ObjectStore };

/** Confirmations under way in this process: clients that wait for a large file ask again and again. */
const underway = new WeakMap<ObjectStore, Map<string, Promise<Confirmed>>>();

/**
 * Makes a file that awaits its upload ready once its bytes are there and right, and keeps those from its upload URL.
 * Until then it stays as it is, so that it can be uploaded again. Ready files are answered as they are.
 */
export async function confirmFile(
  context: Stores,
  organizationId: string,
  file: FileRow,
): Promise<Confirmed> {
  if (isReady(file)) return file;
  const here = underway.get(context.store) ?? new Map<string, Promise<Confirmed>>();
  underway.set(context.store, here);
  // What an earlier request did not find may have been uploaded since.
  const earlier = await here.get(file.id)?.catch(() => null);
  if (earlier && !('error' in earlier)) return earlier;
  const confirming = confirm(context, organizationId, file).finally(() => {
    if (here.get(file.id) === confirming) here.delete(file.id);
  });
  here.set(file.id, confirming);
  return await confirming;
}

async function confirm(context: Stores, organizationId: string, file: FileRow): Promise<Confirmed> {
  const found = await sealBytes(context.store, file);
  const confirmed = 'error' in found ? null : await keepSealed(context, file, found);
  // A twin may have been first, and have taken the upload away.
  const current = confirmed ?? (await getFiles(context.db, organizationId, [file.id]))[0];
  if (current && isReady(current)) return current;
  return 'error' in found
    ? found
    : { error: 'FILE_NOT_FOUND', code: 'NOT_FOUND', message: 'the file is gone' };
}

/** Null when it was not awaited any more. What a crash leaves under the upload's own key goes when the file does. */
async function keepSealed({ db, store }: Stores, file: FileRow, found: FoundBytes): Promise<FileRow | null> {
  const confirmed = await markFileReady(db, file.id, found);
  await store.remove(confirmed ? file.key : found.key);
  return confirmed;
}

function isReady(file: FileRow): file is ReadyFile {
  return file.state === 'ready' && file.contentType !== null && file.sizeBytes !== null;
}
