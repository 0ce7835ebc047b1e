import type { Database } from '@holdfast/db/client';
import { getFiles } from '@holdfast/db/files';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { isId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
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
