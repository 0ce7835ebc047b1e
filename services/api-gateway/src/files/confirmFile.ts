import type { Database } from '@holdfast/db/client';
import { getFiles } from '@holdfast/db/files/get';
import { markFileReady } from '@holdfast/db/files/markReady';
import type { FileRow } from '@holdfast/db/files/row';
import type { ObjectStore } from '@holdfast/files/store';
import { checkBytes, type FileProblem } from './checkBytes.ts';

/** A file whose bytes are there and right. */
export type ReadyFile = FileRow & { contentType: string; sizeBytes: number };

/**
 * Makes a file that awaits its upload ready once its bytes are there and right. Until then it stays as it is, so that
 * it can be uploaded again. Ready files are answered as they are.
 */
export async function confirmFile(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  file: FileRow,
): Promise<ReadyFile | FileProblem> {
  if (isReady(file)) return file;
  const found = await checkBytes(context.store, file);
  if ('error' in found) return found;
  const confirmed =
    (await markFileReady(context.db, file.id, found)) ??
    (await getFiles(context.db, organizationId, [file.id]))[0];
  if (confirmed && isReady(confirmed)) return confirmed;
  return { error: 'FILE_NOT_FOUND', code: 'NOT_FOUND', message: 'the file is gone' };
}

function isReady(file: FileRow): file is ReadyFile {
  return file.state === 'ready' && file.contentType !== null && file.sizeBytes !== null;
}
