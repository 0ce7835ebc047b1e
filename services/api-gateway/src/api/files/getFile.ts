import type { FileRow } from '@holdfast/db/files';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { confirmFile, findFile } from '../../files/readyFiles.ts';
import { idParams } from '../../http/fields.ts';
import { FileRecord, fileRecord } from './fileRecord.ts';

export const getFile = endpoint({
  method: 'GET',
  path: '/v1/files/{file_id}',
  operationId: 'getFile',
  tag: 'Files',
  summary: 'Read the record of a file',
  description: 'Checks an unconfirmed upload: `status` is `ready` once its bytes are present and valid.',
  scope: 'files',
  limit: 'other',
  params: idParams('file', 'file_id'),
  responses: { 200: { description: 'The file', schema: FileRecord } },
  errors: ['INSUFFICIENT_STORAGE'],
  async handle({ context, caller, params }) {
    const file = await findFile(context.db, caller.organizationId, params.file_id);
    return { status: 200, body: fileRecord(await withCheckedUpload(context, caller.organizationId, file)) };
  },
});

/** Checks the upload first; while the store is unavailable, the last known state is returned. */
async function withCheckedUpload(context: Context, organizationId: string, file: FileRow): Promise<FileRow> {
  try {
    const confirmed = await confirmFile(context, organizationId, file);
    return 'error' in confirmed ? file : confirmed;
  } catch (error) {
    context.log.warn({ err: error, fileId: file.id }, 'could not check an uploaded file');
    return file;
  }
}
