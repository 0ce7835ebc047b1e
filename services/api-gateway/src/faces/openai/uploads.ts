import { Readable } from 'node:stream';
import { type FileRow, getFiles, insertUpload } from '@holdfast/db/files';
import { invalidField } from '@holdfast/domain/errors';
import { isId, newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { sanitiseFilename } from '@holdfast/files/filename';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { removeFile, requireFiles } from '../../files/readyFiles.ts';
import { notFound } from '../../http/fields.ts';
import { readForm } from '../../http/form.ts';
import { joinParts, maxParts, removeParts, storePart } from '../fileParts.ts';
import { dayS, fileObject, ofFiles } from './files.ts';

const route = '/v1/openai/uploads';
const common = {
  ...ofFiles,
  method: 'POST',
  responses: { 200: { description: 'The upload', schema: null } },
} as const;
const params = z.object({ id: z.string() });

/** As at OpenAI. The form around it is small. */
const maxPartBytes = 67_108_864;
const formBytes = 65_536;

export const postOpenaiUpload = endpoint({
  ...common,
  path: route,
  operationId: 'createOpenaiUpload',
  summary: 'Start an upload in parts',
  body: z.looseObject({
    filename: z.string().min(1).max(1024),
    purpose: z.string().min(1).max(100),
    bytes: z.int().min(1).max(limits.maxFileBytes),
    expires_after: z
      .looseObject({
        seconds: z
          .int()
          .min(1)
          .max(365 * dayS),
      })
      .nullish(),
  }),
  async handle({ context, caller, body }) {
    const { purpose, bytes: sizeBytes, expires_after: expiry } = body;
    const file = await insertUpload(context.db, {
      id: newId('file'),
      organizationId: caller.organizationId,
      filename: sanitiseFilename(body.filename),
      // As of other files, the bytes determine it.
      contentType: null,
      sizeBytes,
      ttlDays: expiry ? Math.ceil(expiry.seconds / dayS) : null,
      purpose,
    });
    return { status: 200, body: uploadObject(file, 'pending') };
  },
});

export const postOpenaiPart = endpoint({
  ...common,
  path: `${route}/{id}/parts`,
  operationId: 'addOpenaiUploadPart',
  summary: 'Add a part to an upload',
  params,
  body: z.looseObject({}),
  maxFormBytes: maxPartBytes + formBytes,
  async handle({ context, caller, params: of, body, headers }) {
    const { id } = requirePending(await findUpload(context, caller, of.id));
    const missing = 'data is required: send a form (multipart/form-data).';
    if (!(body instanceof Readable)) throw invalidField('data', 'REQUIRED', missing);
    const parts: string[] = [];
    let isTaken = false;
    await readForm(body, headers, async ({ field, stream }) => {
      if (field !== 'data' || isTaken) {
        stream.resume();
        return;
      }
      isTaken = true;
      parts.push(await storePart(context, { organizationId: caller.organizationId, id }, stream));
    });
    const [part] = parts;
    if (part === undefined) throw invalidField('data', 'REQUIRED', missing);
    const created_at = Math.floor(Date.now() / 1000);
    const object = { id: named('part', part), object: 'upload.part', created_at, upload_id: of.id };
    return { status: 200, body: object };
  },
});

/** Clients repeat it: once the file is whole, it is the same again. */
export const postCompleteUpload = endpoint({
  ...common,
  path: `${route}/{id}/complete`,
  operationId: 'completeOpenaiUpload',
  summary: 'Complete an upload',
  params,
  body: z.looseObject({
    part_ids: z.array(z.string().max(100)).min(1).max(maxParts),
    md5: z
      .string()
      .regex(/^[\da-f]{32}$/i, 'must be 32 hexadecimal digits')
      .nullish(),
  }),
  async handle({ context, caller, params: of, body }) {
    const found = await findUpload(context, caller, of.id);
    const { organizationId } = caller;
    if (found.state === 'ready') return { status: 200, body: uploadObject(found, 'completed', found) };
    const { id, key } = requirePending(found);
    const ids = body.part_ids.map((one) => ofName('part', one) ?? one);
    await joinParts(context, { organizationId, id, key }, ids, body.md5?.toLowerCase() ?? null);
    const file = (await requireFiles(context, organizationId, [{ field: 'part_ids', id }])).get(id) ?? found;
    await removeParts(context, { organizationId, id }, ids);
    return { status: 200, body: uploadObject(file, 'completed', file) };
  },
});

export const postCancelUpload = endpoint({
  ...common,
  path: `${route}/{id}/cancel`,
  operationId: 'cancelOpenaiUpload',
  summary: 'Cancel an upload',
  params,
  body: z.looseObject({}).optional(),
  async handle({ context, caller, params: of }) {
    const file = requirePending(await findUpload(context, caller, of.id));
    await removeFile(context, caller.organizationId, file.id);
    return { status: 200, body: uploadObject(file, 'cancelled') };
  },
});

/** An upload or a part has the id of its file, with another prefix. */
const named = (prefix: 'upload' | 'part', id: string) => id.replace('file_', `${prefix}_`);

function ofName(prefix: 'upload' | 'part', name: string): string | null {
  const id = name.replace(`${prefix}_`, 'file_');
  return name.startsWith(prefix) && isId('file', id) ? id : null;
}

/** @throws ApiError NOT_FOUND, also for one that was cancelled or has expired */
async function findUpload({ db }: Context, { organizationId }: Caller, name: string): Promise<FileRow> {
  const id = ofName('upload', name);
  const [file] = id === null ? [] : await getFiles(db, organizationId, [id]);
  const isUpload = file !== undefined && file.origin === 'upload' && file.purpose !== null;
  if (!isUpload || (file.state !== 'ready' && Date.now() >= expiryOf(file))) throw notFound('upload');
  return file;
}

const expiryOf = ({ createdAt }: FileRow) => createdAt.getTime() + limits.uploadUrlS * 1000;

/** @throws ApiError */
function requirePending(file: FileRow): FileRow {
  if (file.state === 'ready') throw invalidField('upload_id', 'NOT_PENDING', 'The upload is complete.');
  return file;
}

function uploadObject(file: FileRow, status: 'pending' | 'completed' | 'cancelled', whole?: FileRow) {
  const { bytes, created_at, filename, purpose } = fileObject(file);
  return {
    id: named('upload', file.id),
    object: 'upload',
    bytes,
    created_at,
    filename,
    purpose,
    status,
    expires_at: Math.floor(expiryOf(file) / 1000),
    ...(whole && { file: fileObject(whole) }),
  };
}
