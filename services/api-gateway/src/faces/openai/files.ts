import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { keepFileBytes } from '@holdfast/db/batches/fileBytes';
import { type FileRow, insertUpload, keepForPurpose, listFilesForPurpose } from '@holdfast/db/files';
import { invalidField } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { anyType } from '@holdfast/files/contentTypes';
import { sanitiseFilename } from '@holdfast/files/filename';
import { sendObject } from '@holdfast/files/objectResponse';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import { batchFileKind, sendBatchFile } from '../../batches/batchFiles.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findFile, findReadyFile, removeFile, requireReady } from '../../files/readyFiles.ts';
import { respondStoreError } from '../../files/storage.ts';
import { integerParameter, notFound } from '../../http/fields.ts';
import { readForm } from '../../http/form.ts';
import { validate } from '../../http/validate.ts';
import { withBatchBytes } from './batchFileBytes.ts';
import { responseLine } from './batchLines.ts';

const route = '/v1/openai/files';
export const ofFiles = {
  tag: 'OpenAI',
  scope: 'files',
  limit: 'other',
  responses: { 200: { description: 'The file', schema: null } },
} as const;
const params = z.object({ id: z.string() });
export const dayS = 86_400;
/** A list counts the bytes of batches' files for this time; the next one goes on. */
const listCountsForMs = 2000;

const fields = z.looseObject({
  purpose: z.string().min(1).max(100),
  'expires_after[seconds]': z.coerce
    .number()
    .int()
    .min(1)
    .max(365 * dayS)
    .optional(),
});

/** A file of the organization, as one uploaded to `/v1/files`; its id can be used in inputs. */
export const postOpenaiFile = endpoint({
  ...ofFiles,
  method: 'POST',
  path: route,
  operationId: 'createOpenaiFile',
  summary: 'Upload a file',
  body: z.looseObject({}),
  maxFormBytes: limits.maxFileBytes,
  async handle({ context, caller, body, headers }) {
    if (!(body instanceof Readable))
      throw invalidField('file', 'REQUIRED', 'file is required: send a form (multipart/form-data).');
    const id = await upload(context, caller, body, headers);
    return { status: 200, body: fileObject(await findReadyFile(context, caller, id)) };
  },
});

/** Its purpose may come after its bytes: until then the file is one that soon expires. */
async function upload(
  context: Context,
  { organizationId }: Caller,
  body: Readable,
  headers: IncomingHttpHeaders,
): Promise<string> {
  const id = newId('file');
  let isSent = false;
  try {
    const sent = await readForm(body, headers, async ({ field, filename, stream }) => {
      if (field !== 'file' || isSent) {
        stream.resume();
        return;
      }
      isSent = true;
      const file = { id, organizationId, contentType: null, sizeBytes: null, ttlDays: 1 };
      await insertUpload(context.db, { ...file, filename: sanitiseFilename(filename) });
      await context.store.put(id, stream, { contentType: anyType });
    });
    if (!isSent) throw invalidField('file', 'REQUIRED', 'file is required.');
    const { purpose, 'expires_after[seconds]': ttlS } = validate(fields, sent);
    const ttlDays = ttlS === undefined ? null : Math.ceil(ttlS / dayS);
    await keepForPurpose(context.db, id, { purpose, ttlDays });
    return id;
  } catch (error) {
    if (isSent) await removeFile(context, organizationId, id);
    throw error;
  }
}

export const listOpenaiFiles = endpoint({
  ...ofFiles,
  method: 'GET',
  path: route,
  operationId: 'listOpenaiFiles',
  summary: 'List files',
  query: z.object({
    limit: integerParameter({ min: 1, max: 10_000, default: 1000 }),
    after: z.string().optional(),
    order: z.enum(['asc', 'desc']).default('desc'),
    purpose: z.string().optional(),
  }),
  async handle({ context, caller, query: { limit, after = null, purpose = null, order } }) {
    const page = { limit: limit + 1, after, purpose, order };
    const rows = await listFilesForPurpose(context.db, caller.organizationId, page);
    const untilMs = Date.now() + listCountsForMs;
    const files = await withBatchBytes(
      { context, caller },
      rows.slice(0, limit),
      () => Date.now() >= untilMs,
    );
    const data = files.map(fileObject);
    const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    const has_more = rows.length > limit;
    return { status: 200, body: { object: 'list', data, first_id: first, last_id: last, has_more } };
  },
});

export const getOpenaiFile = endpoint({
  ...ofFiles,
  method: 'GET',
  path: `${route}/{id}`,
  operationId: 'getOpenaiFile',
  summary: 'Read the record of a file',
  params,
  async handle({ context, caller, params: of, raw }) {
    const file = await findFile(context.db, caller.organizationId, of.id);
    if (batchFileKind(file) === null)
      return { status: 200, body: fileObject(await requireReady(context, caller, file)) };
    const hasLeft = () => raw.response.destroyed;
    const [shown = file] = await withBatchBytes({ context, caller }, [file], hasLeft);
    return { status: 200, body: fileObject(shown) };
  },
});

export const getOpenaiFileContent = endpoint({
  ...ofFiles,
  method: 'GET',
  path: `${route}/{id}/content`,
  operationId: 'downloadOpenaiFile',
  summary: 'Download a file',
  params,
  async handle({ context, caller, params: of, raw }) {
    const file = await findFile(context.db, caller.organizationId, of.id);
    const kind = batchFileKind(file);
    if (kind !== null) {
      const call = { context, caller };
      const { batch, bytes } = await sendBatchFile(context, caller, file, kind, raw.response, (...line) =>
        responseLine(call, ...line),
      );
      if (bytes !== null) await keepFileBytes(context.db, batch, kind, bytes);
      return null;
    }
    const { key, filename, contentType } = await requireReady(context, caller, file);
    const object = { key, filename, contentType };
    await sendObject(raw.request, raw.response, context.store, object, respondStoreError);
    return null;
  },
});

export const deleteOpenaiFile = endpoint({
  ...ofFiles,
  method: 'DELETE',
  path: `${route}/{id}`,
  operationId: 'deleteOpenaiFile',
  summary: 'Delete a file',
  params,
  async handle({ context, caller, params: of }) {
    const { id } = await findReadyFile(context, caller, of.id);
    if (!(await removeFile(context, caller.organizationId, id))) throw notFound('file');
    return { status: 200, body: { id, object: 'file', deleted: true } };
  },
});

export function fileObject({ id, sizeBytes, createdAt, expiresAt, filename, purpose, origin }: FileRow) {
  return {
    id,
    object: 'file',
    bytes: sizeBytes ?? 0,
    created_at: Math.floor(createdAt.getTime() / 1000),
    expires_at: expiresAt && Math.floor(expiresAt.getTime() / 1000),
    filename,
    purpose:
      purpose === 'batch_error'
        ? 'batch_output'
        : (purpose ?? (origin === 'output' ? 'assistants_output' : 'user_data')),
    status: 'processed',
    status_details: null,
  };
}
