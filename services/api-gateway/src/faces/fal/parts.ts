import { Readable } from 'node:stream';
import { type FileRow, getFiles, insertUpload } from '@holdfast/db/files';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { isId, newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { anyType } from '@holdfast/files/contentTypes';
import type { LinkedFile } from '@holdfast/kit/signer';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { type Endpoint, keylessEndpoint } from '../../context/endpoint.ts';
import { removeFile } from '../../files/readyFiles.ts';
import { notFound } from '../../http/fields.ts';
import { filesPath } from './output.ts';
import { falPrefix } from './target.ts';

/** What a file may be uploaded with, in parts: clients send no key with them. */
export function signedUpload(
  { context, caller }: { context: Context; caller: Pick<Caller, 'organizationId'> },
  id: string,
): string {
  return context.fileUploads.sign([caller.organizationId, id, Date.now() + limits.uploadUrlS * 1000]);
}

/** @throws ApiError NOT_FOUND */
function uploadOf({ fileUploads }: Context, text: string): LinkedFile {
  const [organizationId, id, expiresAtMs] = (fileUploads.verify(text) ?? ['', '', 0]) as [
    string,
    string,
    number,
  ];
  if (Date.now() >= expiresAtMs) throw notFound('upload');
  return { organizationId, id };
}

/** A part is a file of its own until the upload is complete, so that parts of one that never is are deleted. */
const partDays = 1;
const partName = ({ id }: LinkedFile) => `${id}.part`;
const maxParts = 1000;

const common = { tag: 'fal', access: 'anyone', limit: 'other' } as const;
const responses = { 200: { description: 'What is needed to complete the upload', schema: null } };

function putPart(path: string): Endpoint {
  return keylessEndpoint({
    ...common,
    responses,
    method: 'PUT',
    path: `${path}/{part}`,
    summary: 'Upload a part of a file',
    params: z.looseObject({ upload: z.string(), part: z.string().regex(/^\d{1,4}$/) }),
    rawBody: { bufferedBytes: 65_536, maxBytes: limits.maxFileBytes },
    async handle({ context, params, body, raw }) {
      const file = uploadOf(context, params.upload);
      const id = newId('file');
      const { organizationId } = file;
      const part = { id, organizationId, filename: partName(file), contentType: null, sizeBytes: null };
      await insertUpload(context.db, { ...part, ttlDays: partDays });
      await context.store.put(id, body, { contentType: anyType });
      raw.response.setHeader('ETag', `"${id}"`);
      return { status: 200, body: { partNumber: Number(params.part), etag: id } };
    },
  });
}

const completeBody = z.looseObject({
  parts: z
    .array(z.looseObject({ partNumber: z.int(), etag: z.string().max(200) }))
    .min(1)
    .max(maxParts),
});

function postComplete(path: string): Endpoint {
  return keylessEndpoint({
    ...common,
    responses,
    method: 'POST',
    path: `${path}/complete`,
    summary: 'Complete the upload of a file',
    params: z.looseObject({ upload: z.string() }),
    body: completeBody,
    async handle({ context, params, body }) {
      const file = uploadOf(context, params.upload);
      const ids = [...body.parts]
        .sort((one, other) => one.partNumber - other.partNumber)
        .map(({ etag }) => etag.replaceAll('"', ''));
      await join(context, file, ids);
      return { status: 200, body: { ok: true } };
    },
  });
}

/** Clients repeat it: once the file is whole, its parts are gone. @throws ApiError */
async function join(context: Context, file: LinkedFile, ids: readonly string[]): Promise<void> {
  const { db, store } = context;
  const [target] = await getFiles(db, file.organizationId, [file.id]);
  if (target === undefined) throw notFound('upload');
  if (target.state === 'ready' || (await store.stat(target.key)) !== null) return;
  const parts = await partsOf(context, file, ids);
  const sizes = await Promise.all(parts.map(async ({ key }) => (await store.stat(key))?.sizeBytes ?? 0));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizeBytes > limits.maxFileBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', `A file may have ${limits.maxFileBytes} bytes.`);
  async function* bytes() {
    for (const { key } of parts) yield* await store.read(key);
  }
  await store.put(target.key, Readable.from(bytes(), { objectMode: false }), {
    contentType: anyType,
    sizeBytes,
  });
  await Promise.all(parts.map(({ id }) => removeFile(context, file.organizationId, id)));
}

async function partsOf({ db }: Context, file: LinkedFile, ids: readonly string[]): Promise<FileRow[]> {
  const rows = await getFiles(
    db,
    file.organizationId,
    ids.filter((id) => isId('file', id)),
  );
  const byId = new Map(
    rows.filter(({ filename }) => filename === partName(file)).map((row) => [row.id, row]),
  );
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) throw invalidField('parts', 'NOT_FOUND', `There is no part ${id}.`);
    return row;
  });
}

/** JavaScript's client goes on below the upload's URL, and Python's below the file's. */
const paths = [`${falPrefix}uploads/{upload}`, `${filesPath}/{link}/{filename}/multipart/{upload}`];

export const partEndpoints: readonly Endpoint[] = paths.flatMap((path) => [
  putPart(path),
  postComplete(path),
]);
