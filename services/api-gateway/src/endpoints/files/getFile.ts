import { findFile } from '../../files/readyFile.ts';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { FileRecord, fileRecord } from './fileRecord.ts';

export const getFile = endpoint({
  method: 'GET',
  path: '/v1/files/{file_id}',
  tag: 'Files',
  summary: 'Read the record of a file',
  scope: 'files',
  limit: 'other',
  params: idParams('file', 'file_id'),
  responses: { 200: { description: 'The file', schema: FileRecord } },
  async handle({ context, caller, params }) {
    return {
      status: 200,
      body: fileRecord(await findFile(context.db, caller.organizationId, params.file_id)),
    };
  },
});
