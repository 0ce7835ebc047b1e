import type { Database } from '@holdfast/db/client';
import type { FileRow } from '@holdfast/db/files';
import { getFiles } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import type { ObjectStore } from '@holdfast/files/store';
import { knownShape, notFound } from '../http/fields.ts';
import { confirmFile, type ReadyFile } from './confirmFile.ts';

/** A file by the id in a path. @throws NOT_FOUND */
export async function findFile(db: Database, organizationId: string, id: string): Promise<FileRow> {
  const [file] = await getFiles(db, organizationId, [knownShape('file', id, 'file')]);
  if (!file) throw notFound('file');
  return file;
}

/** A file that can be downloaded. @throws NOT_FOUND, also when it was not uploaded, or not as declared */
export async function findReadyFile(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  id: string,
): Promise<ReadyFile> {
  const file = await confirmFile(context, organizationId, await findFile(context.db, organizationId, id));
  if ('error' in file) throw new ApiError('NOT_FOUND', `This file can't be downloaded: ${file.message}.`);
  return file;
}
