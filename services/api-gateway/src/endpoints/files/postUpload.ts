import { insertUpload } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { sanitiseFilename } from '@holdfast/files/filename';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { idField, timestamp } from '../../http/fields.ts';
import { checkedType, UploadBody } from './uploadTerms.ts';

const Upload = z
  .object({
    file_id: idField('file', 'The reference to use in the input of an execution'),
    upload_url: z.url().describe('PUT the bytes here, without the API key, before `expires_at`'),
    expires_at: timestamp('When the upload URL expires').meta({ example: '2026-03-20T11:30:00.000Z' }),
  })
  .meta({ id: 'Upload' });

export const postUpload = endpoint({
  method: 'POST',
  path: '/v1/files/upload',
  tag: 'Files',
  summary: 'Start an upload',
  description:
    'Answers a URL to `PUT` the bytes to. A `Content-Type` sent with them must not name another type than declared; it ' +
    'can be left out. The bytes are checked when the file is confirmed, read or first used: they must be there, of the ' +
    'declared size and type, and stay from then on. ' +
    'Declare `filename`, `content_type` and `size_bytes`, or give `purpose` and let them be taken from the bytes. ' +
    'While there is no room for more files the `PUT` gets 507 `INSUFFICIENT_STORAGE`; it can be sent again.',
  scope: 'files',
  limit: 'other',
  body: UploadBody,
  responses: { 201: { description: 'The upload may begin', schema: Upload } },
  async handle({ context, caller, body }) {
    const contentType = checkedType(body);
    const id = newId('file');
    const sizeBytes = body.size_bytes ?? null;
    await insertUpload(context.db, {
      id,
      organizationId: caller.organizationId,
      filename: body.filename === undefined ? id.slice('file_'.length) : sanitiseFilename(body.filename),
      contentType,
      sizeBytes,
      ttlDays: body.ttl_days ?? null,
    });
    const expiresAt = new Date(Date.now() + limits.uploadUrlS * 1000);
    const url = await context.store.presignUpload({
      key: id,
      contentType,
      sizeBytes,
      expiresInS: limits.uploadUrlS,
    });
    const reply: z.infer<typeof Upload> = {
      file_id: id,
      upload_url: url,
      expires_at: expiresAt.toISOString(),
    };
    return { status: 201, body: reply };
  },
});
