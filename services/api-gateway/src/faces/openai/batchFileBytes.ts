import { keepFileBytes, readFileBytes } from '@holdfast/db/batches/fileBytes';
import type { FileRow } from '@holdfast/db/files';
import { type BatchFileKind, batchOfFile } from '@holdfast/domain/batch';
import { batchFileKind, writeLines } from '../../batches/batchFiles.ts';
import { findBatch } from '../../batches/readable.ts';
import type { FaceCall } from '../run.ts';
import { responseLine } from './batchLines.ts';

type Call = Pick<FaceCall, 'context' | 'caller'>;

/**
 * The files with the sizes of those of ended batches. The bytes of these exist only while they are read, so they are counted once, and
 * the number is kept. One that is not counted when `isLate` has no size.
 */
export async function withBatchBytes(
  call: Call,
  files: readonly FileRow[],
  isLate: () => boolean,
): Promise<FileRow[]> {
  const { context, caller } = call;
  const ofBatches = files.flatMap((file) => {
    const kind = batchFileKind(file);
    return kind === null ? [] : [{ id: file.id, kind }];
  });
  const sizes = new Map<string, number | null>();
  for (const { id, kind, bytes } of await readFileBytes(context.db, caller.organizationId, ofBatches))
    sizes.set(id, bytes ?? (await count(call, id, kind, isLate)));
  return files.map((file) => ({ ...file, sizeBytes: sizes.get(file.id) ?? file.sizeBytes }));
}

/** Null: it was late, or the file could not be read. */
async function count(
  call: Call,
  fileId: string,
  kind: BatchFileKind,
  isLate: () => boolean,
): Promise<number | null> {
  const { context, caller } = call;
  if (isLate()) return null;
  const lines = {
    async write() {
      if (isLate()) throw new Error('there was no time to count the bytes of a file');
    },
  };
  try {
    const batch = await findBatch(context, caller, batchOfFile(fileId, kind));
    const bytes = await writeLines(context, batch, kind, lines, (...line) => responseLine(call, ...line));
    await keepFileBytes(context.db, batch, kind, bytes);
    return bytes;
  } catch (error) {
    context.log.info({ err: error, fileId }, 'bytes of a batch file not counted');
    return null;
  }
}
