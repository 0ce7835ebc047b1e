import { Readable } from 'node:stream';
import { type FileRow, insertUpload } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { allowedTypeOf } from '@holdfast/files/contentTypes';
import { sanitiseFilename } from '@holdfast/files/filename';
import { z } from 'zod';
import { FileRecord, fileRecord } from '../../api/files/fileRecord.ts';
import type { Context } from '../../context/context.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { confirmFile } from '../../files/readyFiles.ts';
import { declaredBytes } from '../../http/body.ts';
import { idParams } from '../../http/fields.ts';
import { findOrganization } from '../organizations.ts';

const bufferedBytes = 1_048_576;

export const postFile = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{organization_id}/files',
  tag: 'Files',
  summary: 'Upload a file for an organization',
  description:
    'The body is the file. Its bytes must be of the type in `Content-Type`, if that is a type of files that are accepted.',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'organization_id'),
  query: z.object({
    filename: z.string().min(1).max(1024).optional().meta({
      description: 'The name of the file',
      example: 'input-photo.png',
    }),
  }),
  rawBody: { bufferedBytes, maxBytes: limits.maxFileBytes },
  responses: { 201: { description: 'The file, which is ready', schema: FileRecord } },
  errors: ['FILE_FORMAT_UNSUPPORTED', 'INSUFFICIENT_STORAGE'],
  async handle({ context, params, query, body, headers }) {
    const { id: organizationId } = await findOrganization(context, params.organization_id);
    const declared = allowedTypeOf(headers['content-type'] ?? '');
    const id = newId('file');
    const upload = await insertUpload(context.db, {
      id,
      organizationId,
      filename: query.filename === undefined ? id.slice('file_'.length) : sanitiseFilename(query.filename),
      contentType: declared,
      sizeBytes: null,
      ttlDays: null,
    });
    const contentType = declared ?? 'application/octet-stream';
    const options = { contentType, sizeBytes: declaredBytes(headers) };
    await context.store.put(id, body instanceof Readable ? body : Buffer.from(body), options);
    return { status: 201, body: fileRecord(await readyFile(context, organizationId, upload)) };
  },
});

/** @throws ApiError FILE_FORMAT_UNSUPPORTED; the bytes are deleted with the upload that expires */
async function readyFile(context: Context, organizationId: string, upload: FileRow) {
  const confirmed = await confirmFile(context, organizationId, upload);
  if (!('error' in confirmed)) return confirmed;
  throw new ApiError(confirmed.error, `The file cannot be used: ${confirmed.message}.`);
}
