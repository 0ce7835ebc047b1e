import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { type Caller } from '../../access/identity.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findReadyFile } from '../../files/readyFiles.ts';
import { idField, idParams, timestamp } from '../../http/fields.ts';

const DownloadUrl = z
  .object({
    file_id: idField('file'),
    url: z.url().meta({
      description: 'GET this URL before `expires_at`, without the API key',
      example: 'https://files.example.com/file_01981e9c?expires=1774006200&signature=5257a869',
    }),
    expires_at: timestamp('When the URL expires: one hour after the request'),
    content_type: z.string().meta({ example: 'image/png' }),
    size_bytes: z.int().meta({ example: 1_048_576 }),
  })
  .meta({ id: 'DownloadUrl' });

export const getUrl = endpoint({
  method: 'GET',
  path: '/v1/files/{file_id}/url',
  operationId: 'getFileUrl',
  tag: 'Files',
  summary: 'Get a presigned download URL',
  description: 'Returns a URL that anyone can `GET` for an hour, without an API key.',
  scope: 'files',
  allowsTokens: true,
  limit: 'other',
  params: idParams('file', 'file_id'),
  responses: { 200: { description: 'The URL', schema: DownloadUrl } },
  errors: ['INSUFFICIENT_STORAGE'],
  async handle({ context, caller, params }) {
    const file = await findReadyFile(context, caller, params.file_id);
    const expiresInS = lifetimeS(caller);
    const expiresAt = new Date(Date.now() + expiresInS * 1000);
    const url = await context.store.presignDownload({
      key: file.key,
      filename: file.filename,
      contentType: file.contentType,
      expiresInS,
    });
    const reply: z.infer<typeof DownloadUrl> = {
      file_id: file.id,
      url,
      expires_at: expiresAt.toISOString(),
      content_type: file.contentType,
      size_bytes: file.sizeBytes,
    };
    return { status: 200, body: reply };
  },
});

/** A URL does not outlive the execution token that asked for it. */
function lifetimeS({ token }: Pick<Caller, 'token'>): number {
  if (token === null) return limits.downloadUrlS;
  const remainingS = Math.ceil((token.expiresAtMs - Date.now()) / 1000);
  return Math.max(1, Math.min(limits.downloadUrlS, remainingS));
}
