import type { FileRow } from '@holdfast/db/files';
import { z } from 'zod';
import { idField, timestamp } from '../../http/fields.ts';

export const FileRecord = z
  .object({
    file_id: idField('file'),
    filename: z.string().meta({ example: 'input-photo.png' }),
    content_type: z.string().nullable().meta({
      description: 'Null until the bytes are checked, if the upload did not declare it',
      example: 'image/png',
    }),
    size_bytes: z.int().nullable().meta({
      description: 'Null until the bytes are checked, if the upload did not declare it',
      example: 2_048_576,
    }),
    status: z.enum(['awaiting_upload', 'ready']).meta({ example: 'ready' }),
    width: z.int().nullable().meta({ description: 'Pixels, if known', example: 1280 }),
    height: z.int().nullable().meta({ description: 'Pixels, if known', example: 720 }),
    duration: z
      .number()
      .nullable()
      .meta({ description: 'Seconds of audio or video, if known', example: null }),
    created_at: timestamp('When the file was created'),
    expires_at: timestamp('When it is deleted; null: never').nullable(),
  })
  .meta({ id: 'File' });

export function fileRecord(file: FileRow): z.infer<typeof FileRecord> {
  return {
    file_id: file.id,
    filename: file.filename,
    content_type: file.contentType,
    size_bytes: file.sizeBytes,
    status: file.state,
    width: file.width,
    height: file.height,
    duration: file.durationMs === null ? null : file.durationMs / 1000,
    created_at: file.createdAt.toISOString(),
    expires_at: file.expiresAt?.toISOString() ?? null,
  };
}
