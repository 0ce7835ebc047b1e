import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type FileRow, getFiles, insertUpload } from '@holdfast/db/files';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { isId, newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { anyType } from '@holdfast/files/contentTypes';
import type { LinkedFile } from '@holdfast/kit/signer';
import type { Context } from '../context/context.ts';
import { removeFile } from '../files/readyFiles.ts';

/** A part is a file of its own until the upload is complete, so that parts of one that never is are deleted. */
const partDays = 1;
const partName = ({ id }: LinkedFile) => `${id}.part`;

/** The most that one upload has. */
export const maxParts = 1000;

/** Stores a part of a file, and returns the part's id. */
export async function storePart(
  { db, store }: Context,
  file: LinkedFile,
  body: Buffer | Readable,
): Promise<string> {
  const id = newId('file');
  const { organizationId } = file;
  const part = { id, organizationId, filename: partName(file), contentType: null, sizeBytes: null };
  await insertUpload(db, { ...part, ttlDays: partDays });
  await store.put(id, body, { contentType: anyType });
  return id;
}

/** The bytes of the file become those of its parts, in this order. `digest`: their MD5, in hex. @throws ApiError */
export async function joinParts(
  { db, store }: Context,
  file: LinkedFile & { key: string },
  ids: readonly string[],
  digest: string | null = null,
): Promise<void> {
  const parts = await partsOf({ db, store }, file, ids);
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  if (sizeBytes > limits.maxFileBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', `A file may have ${limits.maxFileBytes} bytes.`);
  async function* bytes() {
    for (const { key } of parts) yield* await store.read(key);
  }
  // Before anything is written: of two writers, a refused one must not remove what the other wrote.
  if (digest !== null && (await md5Of(bytes())) !== digest)
    throw invalidField('md5', 'INVALID_VALUE', 'md5 is not that of the uploaded bytes.');
  const joined = Readable.from(bytes(), { objectMode: false });
  await store.put(file.key, joined, { contentType: anyType, sizeBytes });
}

/** What is left of them expires by itself. */
export async function removeParts(
  context: Context,
  { organizationId }: LinkedFile,
  ids: readonly string[],
): Promise<void> {
  await Promise.all(ids.map((id) => removeFile(context, organizationId, id)));
}

async function md5Of(bytes: AsyncIterable<Buffer>): Promise<string> {
  const digest = createHash('md5');
  for await (const chunk of bytes) digest.update(chunk);
  return digest.digest('hex');
}

/** @throws ApiError for one that is not whole, or of another file */
async function partsOf(
  { db, store }: Pick<Context, 'db' | 'store'>,
  file: LinkedFile,
  ids: readonly string[],
): Promise<Pick<FileRow & { sizeBytes: number }, 'key' | 'sizeBytes'>[]> {
  const wellFormed = ids.filter((id) => isId('file', id));
  const rows = await getFiles(db, file.organizationId, wellFormed);
  const own = new Map(rows.filter(({ filename }) => filename === partName(file)).map((row) => [row.id, row]));
  return await Promise.all(
    ids.map(async (id) => {
      const key = own.get(id)?.key;
      const stored = key === undefined ? null : await store.stat(key);
      if (key === undefined || stored === null)
        throw invalidField('parts', 'NOT_FOUND', `There is no part ${id}.`);
      return { key, sizeBytes: stored.sizeBytes };
    }),
  );
}
