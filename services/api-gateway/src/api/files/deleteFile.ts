import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { removeFile } from '../../files/readyFiles.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';

export const deleteFile = endpoint({
  method: 'DELETE',
  path: '/v1/files/{file_id}',
  operationId: 'deleteFile',
  tag: 'Files',
  summary: 'Delete a file',
  description:
    'It can no longer be read or used. Its bytes are removed at once, so that URLs from `GET /v1/files/{file_id}/url` end, too; ' +
    'if the store is unavailable, a sweep removes them later. An execution that has not been sent to a provider yet ' +
    'fails with `FILE_NOT_FOUND`; one whose provider has not read the file yet fails, too. ' +
    '`DELETE /v1/executions/{id}` deletes all outputs of an execution.',
  scope: 'files',
  limit: 'other',
  params: idParams('file', 'file_id'),
  responses: {
    200: {
      description: 'The file is deleted',
      schema: z.object({ file_id: idField('file'), deleted: z.literal(true) }).meta({ id: 'DeletedFile' }),
    },
  },
  async handle({ context, caller, params }) {
    const id = requireId('file', params.file_id, 'file');
    if (!(await removeFile(context, caller.organizationId, id))) throw notFound('file');
    return { status: 200, body: { file_id: id, deleted: true } };
  },
});
