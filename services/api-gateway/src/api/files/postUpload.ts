import { insertUpload } from '@holdfast/db/files';
import type { ErrorDetail } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import {
  type AllowedType,
  allowedTypeOf,
  allowedTypes,
  anyType,
  bareType,
  isUnspecific,
} from '@holdfast/files/contentTypes';
import { sanitiseFilename } from '@holdfast/files/filename';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { type EndpointResponse, linkTo } from '../../http/endpoint.ts';
import { idField, timestamp } from '../../http/fields.ts';
import { invalidInput } from '../../http/validate.ts';

const UploadBody = z
  .strictObject({
    filename: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({ description: 'The name of the file', example: 'input-photo.png' }),
    content_type: z
      .string()
      .max(100)
      .optional()
      .meta({
        description:
          'Case is ignored; parameters and common aliases such as `image/jpg` and `audio/mp3` are accepted. ' +
          'Without it, or with `application/octet-stream` or an empty text, the bytes determine the type, and the ' +
          'extension of `filename` which text it is (`csv`, `json`, `jsonl`, `md`)',
        example: 'image/png',
        override: { enum: [...allowedTypes, anyType] },
      }),
    size_bytes: z
      .int()
      .min(1)
      .max(limits.maxFileBytes)
      .optional()
      .meta({ description: 'The exact size', example: 2_048_576 }),
    ttl_days: z
      .int()
      .min(1)
      .max(365)
      .optional()
      .describe('The file is deleted after this many days; without it, the file is kept'),
    purpose: z
      .enum(['INPUT', 'UPLOAD'])
      .optional()
      .describe('When given, undeclared fields are derived from the uploaded bytes'),
    region: z
      .enum(['US', 'EU', 'APAC'])
      .optional()
      .describe('Accepted for compatibility and ignored: there is one store'),
  })
  .meta({ example: { filename: 'input-photo.png', content_type: 'image/png', size_bytes: 2_048_576 } });
type UploadBody = z.infer<typeof UploadBody>;

/** The two forms of the request, with the fields that each requires. */
const DocumentedBody = z
  .union([
    UploadBody.required({ filename: true, size_bytes: true }).meta({
      id: 'DeclaredUpload',
    }),
    UploadBody.required({ purpose: true }).meta({
      id: 'DerivedUpload',
      description: 'Undeclared fields are derived from the uploaded bytes',
      example: { purpose: 'INPUT' },
    }),
  ])
  .meta({
    id: 'UploadRequest',
    example: { filename: 'input-photo.png', content_type: 'image/png', size_bytes: 2_048_576 },
  });

const Upload = z
  .object({
    file_id: idField('file', 'The reference to use in the input of an execution'),
    upload_url: z.url().meta({
      description: 'PUT the bytes here before `expires_at`, without the API key',
      example: 'https://files.example.com/file_01981e9c?expires=1774006200&signature=5257a869',
    }),
    expires_at: timestamp('When the upload URL expires').meta({ example: '2026-03-20T11:30:00.000Z' }),
  })
  .meta({ id: 'Upload' });

const uploadLinks = {
  confirm: {
    operationId: 'confirmUpload',
    requestBody: { file_id: '$response.body#/file_id' },
    description: 'Checks the uploaded bytes',
  },
  read: linkTo('getFile', 'file_id', 'The record of the file'),
} satisfies EndpointResponse['links'];

export const postUpload = endpoint({
  method: 'POST',
  path: '/v1/files/upload',
  operationId: 'createUpload',
  tag: 'Files',
  summary: 'Start an upload',
  description:
    'Returns a URL to `PUT` the bytes to. The `PUT` may omit `Content-Type`; when it sends one, it must match the ' +
    'declared type. The bytes are checked when the file is confirmed, read or first used: they must be present, of the ' +
    'declared size and type, and cannot change afterwards. ' +
    'Declare `filename` and `size_bytes`, and `content_type` to be sure of it, or give `purpose` to derive them from the bytes. ' +
    'While the file store is full the `PUT` gets 507 `INSUFFICIENT_STORAGE`; it can be sent again.',
  scope: 'files',
  limit: 'other',
  body: UploadBody,
  documentedBody: DocumentedBody,
  responses: { 201: { description: 'The upload URL', schema: Upload, links: uploadLinks } },
  async handle({ context, caller, body }) {
    const contentType = declaredType(body);
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

/** The declared type in its canonical spelling; null when the bytes determine it. @throws INPUT_VALIDATION_ERROR */
function declaredType(body: UploadBody): AllowedType | null {
  const details = [...missingFields(body), ...unsupportedType(body)];
  if (details.length > 0) throw invalidInput(details);
  return allowedTypeOf(body.content_type ?? '');
}

function missingFields(body: UploadBody): ErrorDetail[] {
  if (body.purpose !== undefined) return [];
  return (['filename', 'size_bytes'] as const)
    .filter((field) => body[field] === undefined)
    .map((field) => ({ field, code: 'REQUIRED', message: `${field} is required.` }));
}

function unsupportedType({ content_type: contentType }: UploadBody): ErrorDetail[] {
  if (contentType === undefined || isUnspecific(contentType) || allowedTypeOf(contentType) !== null)
    return [];
  const message =
    bareType(contentType) === 'image/svg+xml'
      ? 'content_type image/svg+xml is not accepted, because SVG can contain scripts. Convert the image, for example to image/png.'
      : `content_type must be one of ${allowedTypes.join(', ')}.`;
  return [{ field: 'content_type', code: 'UNSUPPORTED_FORMAT', message }];
}
