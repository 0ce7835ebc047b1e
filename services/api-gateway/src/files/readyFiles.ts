import type { Database } from '@holdfast/db/client';
import { type FileRow, type FoundBytes, getFiles, markFileReady } from '@holdfast/db/files';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { isId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import type { ObjectStore } from '@holdfast/files/store';
import { notFound, requireId } from '../http/fields.ts';
import { type FileProblem, sealBytes } from './uploadedBytes.ts';

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

/** A file by the id in a path. @throws NOT_FOUND */
export async function findFile(db: Database, organizationId: string, id: string): Promise<FileRow> {
  const [file] = await getFiles(db, organizationId, [requireId('file', id, 'file')]);
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

/** A `file_` reference in a request and the path of the field it stands in. */
export type FileReference = { field: string; id: string };

const unknown: FileProblem = {
  error: 'FILE_NOT_FOUND',
  code: 'NOT_FOUND',
  message: 'there is no such file',
};

function tooLarge(mostBytes: number): FileProblem {
  const message = `the model takes files of at most ${mostBytes} bytes`;
  return { error: 'INPUT_VALIDATION_ERROR', code: 'OUT_OF_RANGE', message };
}

/**
 * Sees to it that every file an execution names is the organization's and there; uploads that nobody confirmed are
 * checked now. @throws FILE_NOT_FOUND, FILE_FORMAT_UNSUPPORTED; INPUT_VALIDATION_ERROR for more than `mostBytes`
 */
export async function requireFiles(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  references: FileReference[],
  mostBytes: number = limits.maxFileBytes,
): Promise<void> {
  const ids = [...new Set(references.map(({ id }) => id))];
  const problems = await findProblems(context, organizationId, ids, mostBytes);
  if (problems.size === 0) return;
  const details = references.flatMap(({ field, id }): ErrorDetail[] => {
    const problem = problems.get(id);
    return problem ? [{ field, code: problem.code, message: `${id}: ${problem.message}.` }] : [];
  });
  const found = new Set([...problems.values()].map(({ error }) => error));
  const code = gravest.find((error) => found.has(error)) ?? 'INPUT_VALIDATION_ERROR';
  throw new ApiError(code, details[0]?.message ?? 'A file is missing.', { details });
}

const gravest = ['FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED'] as const;

async function findProblems(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  ids: string[],
  mostBytes: number,
): Promise<Map<string, FileProblem>> {
  const wellFormed = ids.filter((id) => isId('file', id));
  const files = await getFiles(context.db, organizationId, wellFormed);
  const byId = new Map(files.map((file) => [file.id, file]));
  const checked = await Promise.all(
    ids.map(async (id) => {
      const file = byId.get(id);
      const result = file ? await confirmFile(context, organizationId, file) : unknown;
      return [id, 'error' in result || result.sizeBytes <= mostBytes ? result : tooLarge(mostBytes)] as const;
    }),
  );
  return new Map(checked.flatMap(([id, result]) => ('error' in result ? [[id, result] as const] : [])));
}
