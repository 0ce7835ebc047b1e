import { Readable } from 'node:stream';
import { type FileRow, keepForPurpose, listFilesForPurpose } from '@holdfast/db/files';
import { invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findReadyFile, removeFile } from '../../files/readyFiles.ts';
import { integerParameter, notFound } from '../../http/fields.ts';
import { readForm } from '../../http/form.ts';
import { createWithFiles, requestFileDays } from '../requestFiles.ts';
import { pageReply } from './page.ts';

const route = '/v1/replicate/files';
const common = {
  tag: 'Replicate',
  scope: 'files',
  limit: 'other',
  responses: { 200: { description: 'The file', schema: null } },
} as const;
const params = z.object({ id: z.string() });

/** Clients upload the files of an input by themselves and never delete them: they are kept as those of a request. */
export const postReplicateFile = endpoint({
  ...common,
  method: 'POST',
  path: route,
  operationId: 'createReplicateFile',
  summary: 'Upload a file',
  body: z.looseObject({}),
  maxFormBytes: limits.maxFileBytes,
  async handle({ context, caller, body, headers, publicUrl }) {
    if (!(body instanceof Readable))
      throw invalidField('content', 'REQUIRED', 'content is required: send a form (multipart/form-data).');
    const { id, digest } = await createWithFiles({ context, caller }, async (files) => {
      let stored: { id: string; digest: string } | null = null;
      await readForm(body, headers, async ({ field, filename, stream }) => {
        if (field === 'content' && stored === null) stored = await files.store(filename, stream);
        // JavaScript's client sends `metadata` as a file.
        else stream.resume();
      });
      const { id: fileId, digest: sha256 } = stored ?? { id: null, digest: '' };
      if (fileId === null) throw invalidField('content', 'REQUIRED', 'content is required.');
      await keepForPurpose(context.db, fileId, { purpose: 'user_data', ttlDays: requestFileDays });
      return { id: fileId, digest: sha256, isJoined: false };
    });
    const file = fileRecord(await findReadyFile(context, caller, id), publicUrl);
    return { status: 201, body: { ...file, checksums: { sha256: digest } } };
  },
});

const maxPerPage = 100;

export const listReplicateFiles = endpoint({
  ...common,
  method: 'GET',
  path: route,
  operationId: 'listReplicateFiles',
  summary: 'List files',
  query: z.object({
    cursor: z.string().max(200).optional(),
    limit: integerParameter({ min: 1, max: maxPerPage, default: maxPerPage }),
  }),
  async handle({ context, caller, query: { cursor = null, limit }, publicUrl }) {
    const page = { limit: limit + 1, after: cursor, purpose: null, order: 'desc' as const };
    const rows = await listFilesForPurpose(context.db, caller.organizationId, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const next = last && `${publicUrl}${route}?limit=${limit}&cursor=${last.id}`;
    return pageReply(
      shown.map((file) => fileRecord(file, publicUrl)),
      next ?? null,
    );
  },
});

export const getReplicateFile = endpoint({
  ...common,
  method: 'GET',
  path: `${route}/{id}`,
  operationId: 'getReplicateFile',
  summary: 'Read the record of a file',
  params,
  async handle({ context, caller, params: of, publicUrl }) {
    return { status: 200, body: fileRecord(await findReadyFile(context, caller, of.id), publicUrl) };
  },
});

export const deleteReplicateFile = endpoint({
  ...common,
  method: 'DELETE',
  path: `${route}/{id}`,
  operationId: 'deleteReplicateFile',
  summary: 'Delete a file',
  params,
  async handle({ context, caller, params: of, raw: { response } }) {
    const { id } = await findReadyFile(context, caller, of.id);
    if (!(await removeFile(context, caller.organizationId, id))) throw notFound('file');
    response.writeHead(204).end();
    return null;
  },
});

/** Checksums are known at the upload alone. */
function fileRecord(
  { id, filename, contentType, sizeBytes, createdAt, expiresAt }: FileRow,
  publicUrl: string,
) {
  return {
    id,
    name: filename,
    content_type: contentType ?? 'application/octet-stream',
    size: sizeBytes ?? 0,
    etag: id,
    checksums: {},
    metadata: {},
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    urls: { get: `${publicUrl}${route}/${id}` },
  };
}
