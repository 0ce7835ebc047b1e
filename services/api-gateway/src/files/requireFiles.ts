import type { Database } from '@holdfast/db/client';
import { getFiles } from '@holdfast/db/files/get';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { isId } from '@holdfast/domain/ids';
import type { ObjectStore } from '@holdfast/files/store';
import type { FileProblem } from './checkBytes.ts';
import { confirmFile } from './confirmFile.ts';

/** A `file_` reference in a request and the path of the field it stands in. */
export type FileReference = { field: string; id: string };

const unknown: FileProblem = {
  error: 'FILE_NOT_FOUND',
  code: 'NOT_FOUND',
  message: 'there is no such file',
};

/**
 * Sees to it that every file an execution names is the organization's and there; uploads that nobody confirmed are
 * checked now. @throws FILE_NOT_FOUND, FILE_FORMAT_UNSUPPORTED
 */
export async function requireFiles(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  references: FileReference[],
): Promise<void> {
  const problems = await findProblems(context, organizationId, [...new Set(references.map(({ id }) => id))]);
  if (problems.size === 0) return;
  const details = references.flatMap(({ field, id }): ErrorDetail[] => {
    const problem = problems.get(id);
    return problem ? [{ field, code: problem.code, message: `${id}: ${problem.message}.` }] : [];
  });
  const isMissing = [...problems.values()].some(({ error }) => error === 'FILE_NOT_FOUND');
  throw new ApiError(
    isMissing ? 'FILE_NOT_FOUND' : 'FILE_FORMAT_UNSUPPORTED',
    details[0]?.message ?? 'A file is missing.',
    { details },
  );
}

async function findProblems(
  context: { db: Database; store: ObjectStore },
  organizationId: string,
  ids: string[],
): Promise<Map<string, FileProblem>> {
  const wellFormed = ids.filter((id) => isId('file', id));
  const files = await getFiles(context.db, organizationId, wellFormed);
  const byId = new Map(files.map((file) => [file.id, file]));
  const checked = await Promise.all(
    ids.map(async (id) => {
      const file = byId.get(id);
      return [id, file ? await confirmFile(context, organizationId, file) : unknown] as const;
    }),
  );
  return new Map(checked.flatMap(([id, result]) => ('error' in result ? [[id, result] as const] : [])));
}
