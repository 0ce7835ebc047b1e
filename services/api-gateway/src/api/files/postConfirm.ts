import { getFiles } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import { isId } from '@holdfast/domain/ids';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { confirmFile } from '../../files/readyFiles.ts';
import type { FileProblem } from '../../files/uploadedBytes.ts';
import { idField } from '../../http/fields.ts';
import { FileRecord, fileRecord } from './fileRecord.ts';

export const postConfirm = endpoint({
  method: 'POST',
  path: '/v1/files/confirm',
  operationId: 'confirmUpload',
  tag: 'Files',
  summary: 'Confirm an upload',
  description:
    'Checks the uploaded bytes at once. Optional: an unconfirmed file is checked when it is first used. ' +
    'When the check fails, the file can be uploaded again until its upload URL expires.',
  scope: 'files',
  limit: 'other',
  body: z.strictObject({ file_id: idField('file') }).meta({ id: 'ConfirmRequest' }),
  responses: { 200: { description: 'The file is ready', schema: FileRecord } },
  errors: ['FILE_NOT_FOUND', 'FILE_FORMAT_UNSUPPORTED', 'INSUFFICIENT_STORAGE'],
  async handle({ context, caller, body }) {
    const id = body.file_id;
    const [file] = isId('file', id) ? await getFiles(context.db, caller.organizationId, [id]) : [];
    if (!file)
      throw toApiError({ error: 'FILE_NOT_FOUND', code: 'NOT_FOUND', message: 'the file does not exist' });
    const confirmed = await confirmFile(context, caller.organizationId, file);
    if ('error' in confirmed) throw toApiError(confirmed);
    return { status: 200, body: fileRecord(confirmed) };
  },
});

function toApiError({ error, code, message }: FileProblem): ApiError {
  const sentence = `file_id: ${message}.`;
  return new ApiError(error, sentence, { details: [{ field: 'file_id', code, message: sentence }] });
}
