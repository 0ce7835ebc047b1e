import type { ErrorDetail } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { type AllowedType, allowedTypeOf, allowedTypes, bareType } from '@holdfast/files/allowedTypes';
import { z } from 'zod';
import { invalidInput } from '../../http/validate.ts';

export const UploadBody = z
  .strictObject({
    filename: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({ description: 'Required unless `purpose` is given', example: 'input-photo.png' }),
    content_type: z
      .string()
      .max(100)
      .optional()
      .meta({
        description: `Required unless \`purpose\` is given. One of ${allowedTypes.join(', ')}; in any case, parameters and common other names such as \`image/jpg\` and \`audio/mp3\` are understood`,
        example: 'image/png',
      }),
    size_bytes: z
      .int()
      .min(1)
      .max(limits.maxFileBytes)
      .optional()
      .meta({ description: 'Exactly. Required unless `purpose` is given', example: 2_048_576 }),
    ttl_days: z
      .int()
      .min(1)
      .max(365)
      .optional()
      .describe('Remove the file after so many days; kept unless set'),
    purpose: z
      .enum(['INPUT', 'UPLOAD'])
      .optional()
      .describe('With it, what is not declared is taken from the bytes'),
    region: z
      .enum(['US', 'EU', 'APAC'])
      .optional()
      .describe('Accepted for compatibility; there is one store'),
  })
  .meta({
    id: 'UploadRequest',
    example: { filename: 'input-photo.png', content_type: 'image/png', size_bytes: 2_048_576 },
  });

export type UploadBody = z.infer<typeof UploadBody>;

/** The declared type by the name that it is stored under; null: none was. @throws INPUT_VALIDATION_ERROR */
export function checkedType(body: UploadBody): AllowedType | null {
  const details = [...missingFields(body), ...unsupportedType(body)];
  if (details.length > 0) throw invalidInput(details);
  return body.content_type === undefined ? null : allowedTypeOf(body.content_type);
}

function missingFields(body: UploadBody): ErrorDetail[] {
  if (body.purpose !== undefined) return [];
  return (['filename', 'content_type', 'size_bytes'] as const)
    .filter((field) => body[field] === undefined)
    .map((field) => ({ field, code: 'REQUIRED', message: `${field} is required.` }));
}

function unsupportedType({ content_type: contentType }: UploadBody): ErrorDetail[] {
  if (contentType === undefined || allowedTypeOf(contentType) !== null) return [];
  const message =
    bareType(contentType) === 'image/svg+xml'
      ? 'content_type image/svg+xml is refused, because SVG can carry scripts. Convert the image, for example to image/png.'
      : `content_type must be one of ${allowedTypes.join(', ')}.`;
  return [{ field: 'content_type', code: 'UNSUPPORTED_FORMAT', message }];
}
