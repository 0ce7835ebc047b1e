import type { Database } from '@holdfast/db/client';
import { expireFile, type FileRow, type FoundBytes, getFiles, markFileReady } from '@holdfast/db/files';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { isId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import type { ObjectStore } from '@holdfast/files/store';
import type { Logger } from '@holdfast/kit/logger';
import type { Caller } from '../access/identity.ts';
import { notFound, requireId } from '../http/fields.ts';
import { type FileProblem, sealBytes } from './uploadedBytes.ts';

/** A file whose bytes are stored and match what was declared. */
export type ReadyFile = FileRow & { contentType: string; sizeBytes: number };

type Confirmed = ReadyFile | FileProblem;
type Stores = { db: Database; store: ObjectStore };

/** Confirmations in progress in this process: clients poll while a large file is checked. */
const inProgress = new WeakMap<ObjectStore, Map<string, Promise<Confirmed>>>();

/**
 * Makes an uploaded file ready when its bytes are valid, and protects them from its upload URL. A file that is not valid
 * stays as it is and can be uploaded again; a ready file is returned unchanged.
 */
export async function confirmFile(
  context: Stores,
  organizationId: string,
  file: FileRow,
): Promise<Confirmed> {
  if (isReady(file)) return file;
  if (file.state === 'ready') return ofBatch;
  const byId = inProgress.get(context.store) ?? new Map<string, Promise<Confirmed>>();
  inProgress.set(context.store, byId);
  // A failed check is repeated: the file may have been uploaded since.
  const earlier = await byId.get(file.id)?.catch(() => null);
  if (earlier && !('error' in earlier)) return earlier;
  const confirming = confirm(context, organizationId, file).finally(() => {
    if (byId.get(file.id) === confirming) byId.delete(file.id);
  });
  byId.set(file.id, confirming);
  return await confirming;
}

async function confirm(context: Stores, organizationId: string, file: FileRow): Promise<Confirmed> {
  const found = await sealBytes(context.store, file);
  const confirmed = 'error' in found ? null : await keepSealed(context, file, found);
  // Another gateway may have confirmed it first and removed the upload.
  const current = confirmed ?? (await getFiles(context.db, organizationId, [file.id]))[0];
  if (current && isReady(current)) return current;
  return 'error' in found
    ? found
    : { error: 'FILE_NOT_FOUND', code: 'NOT_FOUND', message: 'the file no longer exists' };
}

/** Null when the file no longer awaited an upload. Bytes that a crash leaves at the upload key are deleted with the file. */
async function keepSealed({ db, store }: Stores, file: FileRow, found: FoundBytes): Promise<FileRow | null> {
  const confirmed = await markFileReady(db, file.id, found);
  await store.remove(confirmed ? file.key : found.key);
  return confirmed;
}

function isReady(file: FileRow): file is ReadyFile {
  return file.state === 'ready' && file.contentType !== null && file.sizeBytes !== null;
}

/** A file by the id in a path. @throws NOT_FOUND */
export async function findFile(db: Database, organizationId: string, id: string): Promise<FileRow> {
  const [file] = await getFiles(db, organizationId, [requireId('file', id, 'file')]);
  if (!file) throw notFound('file');
  return file;
}

/**
 * A file that can be downloaded. @throws NOT_FOUND also when it was not uploaded, or not as declared, and for an execution
 * token unless it is a result of its execution
 */
export async function findReadyFile(
  context: { db: Database; store: ObjectStore },
  caller: Pick<Caller, 'organizationId' | 'token'>,
  id: string,
): Promise<ReadyFile> {
  return await requireReady(context, caller, await findFile(context.db, caller.organizationId, id));
}

/** As `findReadyFile`, of a file that was found. */
export async function requireReady(
  context: { db: Database; store: ObjectStore },
  { organizationId, token }: Pick<Caller, 'organizationId' | 'token'>,
  found: FileRow,
): Promise<ReadyFile> {
  const isResult = found.origin === 'output' && found.executionId === token?.executionId;
  if (token && !isResult) throw notFound('file');
  const file = await confirmFile(context, organizationId, found);
  if ('error' in file) throw new ApiError('NOT_FOUND', `This file cannot be downloaded: ${file.message}.`);
  return file;
}

/**
 * Deletes a file. If its bytes cannot be removed now, a sweep removes them. @returns whether the organization had such a file
 */
export async function removeFile(
  { db, store, log }: Stores & { log: Logger },
  organizationId: string,
  id: string,
): Promise<boolean> {
  const key = await expireFile(db, organizationId, id);
  if (key === null) return false;
  await store.remove(key).catch((error: unknown) => {
    log.warn({ err: error, fileId: id }, 'could not remove the bytes of a deleted file; a sweep will');
  });
  return true;
}

/** A `file_` reference in a request and the path of its field. */
export type FileReference = { field: string; id: string };

const unknown: FileProblem = {
  error: 'FILE_NOT_FOUND',
  code: 'NOT_FOUND',
  message: 'the file does not exist',
};

/** Nothing is stored: `GET /v1/files/{file_id}/download` writes its lines. */
const ofBatch: FileProblem = {
  error: 'FILE_FORMAT_UNSUPPORTED',
  code: 'UNSUPPORTED_FORMAT',
  message: 'the file of a batch can only be downloaded',
};

function tooLarge(maxBytes: number): FileProblem {
  const message = `the model accepts files of at most ${maxBytes} bytes`;
  return { error: 'INPUT_VALIDATION_ERROR', code: 'OUT_OF_RANGE', message };
}

/** Confirms uploads, and returns the files by their ids. @throws FILE_NOT_FOUND, FILE_FORMAT_UNSUPPORTED; INPUT_VALIDATION_ERROR above `maxBytes` */
export async function requireFiles(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  references: FileReference[],
  maxBytes: number = limits.maxFileBytes,
): Promise<Map<string, ReadyFile>> {
  if (references.length === 0) return new Map();
  const ids = [...new Set(references.map(({ id }) => id))];
  const checked = await checkFiles(context, organizationId, ids, maxBytes);
  const problems = new Map(checked.flatMap(([id, file]) => ('error' in file ? [[id, file]] : [])));
  if (problems.size === 0)
    return new Map(checked.flatMap(([id, file]) => ('error' in file ? [] : [[id, file]])));
  const details = references.flatMap(({ field, id }): ErrorDetail[] => {
    const problem = problems.get(id);
    return problem ? [{ field, code: problem.code, message: `${id}: ${problem.message}.` }] : [];
  });
  const found = new Set([...problems.values()].map(({ error }) => error));
  const code = bySeverity.find((error) => found.has(error)) ?? 'INPUT_VALIDATION_ERROR';
  throw new ApiError(code, details[0]?.message ?? 'A file is missing.', { details });
}

const bySeverity = ['FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED'] as const;

async function checkFiles(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  ids: string[],
  maxBytes: number,
): Promise<[id: string, Confirmed][]> {
  const wellFormed = ids.filter((id) => isId('file', id));
  const files = await getFiles(context.db, organizationId, wellFormed);
  const byId = new Map(files.map((file) => [file.id, file]));
  return await Promise.all(
    ids.map(async (id): Promise<[string, Confirmed]> => {
      const file = byId.get(id);
      const result = file ? await confirmFile(context, organizationId, file) : unknown;
      return [id, 'error' in result || result.sizeBytes <= maxBytes ? result : tooLarge(maxBytes)];
    }),
  );
}
