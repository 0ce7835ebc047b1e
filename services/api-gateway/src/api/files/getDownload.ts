import { sendObject } from '@holdfast/files/objectResponse';
import { z } from 'zod';
import { batchFileKind, sendBatchFile } from '../../batches/batchFiles.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findFile, requireReady } from '../../files/readyFiles.ts';
import { respondStoreError } from '../../files/storage.ts';
import { idParams } from '../../http/fields.ts';

export const getDownload = endpoint({
  method: 'GET',
  path: '/v1/files/{file_id}/download',
  operationId: 'downloadFile',
  tag: 'Files',
  summary: 'Download a file',
  description:
    'Streams the bytes as an attachment, without a redirect. `HEAD` and a single byte range are supported, but not for the files of a batch, which are written while it runs.',
  scope: 'files',
  allowsTokens: true,
  limit: 'other',
  params: idParams('file', 'file_id'),
  headers: z.object({
    range: z.string().optional().meta({ description: 'One byte range', example: 'bytes=0-1023' }),
  }),
  responses: {
    200: { description: 'The bytes', schema: null },
    206: { description: 'The bytes in the range', schema: null },
    416: { description: 'The range is outside the file', schema: null },
  },
  errors: ['INSUFFICIENT_STORAGE'],
  async handle({ context, caller, params, raw }) {
    const found = await findFile(context.db, caller.organizationId, params.file_id);
    const kind = batchFileKind(found);
    if (kind !== null && caller.token === null) {
      await sendBatchFile(context, caller, found, kind, raw.response);
      return null;
    }
    const file = await requireReady(context, caller, found);
    const object = { key: file.key, filename: file.filename, contentType: file.contentType };
    await sendObject(raw.request, raw.response, context.store, object, respondStoreError);
    return null;
  },
});
