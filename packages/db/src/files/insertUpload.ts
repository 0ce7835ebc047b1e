import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type FileRow, fileColumnsSql } from './row.ts';

export type NewUpload = {
  id: string;
  organizationId: string;
  filename: string;
  contentType: string | null;
  sizeBytes: number | null;
  ttlDays: number | null;
};

/** A file whose bytes a client is about to upload. */
export async function insertUpload(db: Database, upload: NewUpload): Promise<FileRow> {
  const { id, organizationId, filename, contentType, sizeBytes, ttlDays } = upload;
  const values = [id, organizationId, filename, contentType, sizeBytes, ttlDays];
  const [row] = await runStatement<FileRow>(db.pool, 'insert_upload', statement, values);
  if (!row) throw new Error('an upload was not stored');
  return row;
}

const statement = `INSERT INTO files
    (id, organization_id, origin, state, filename, content_type, size_bytes, expires_at)
  VALUES ($1, $2, 'upload', 'awaiting_upload', $3, $4, $5, now() + $6 * interval '1 day')
  RETURNING ${fileColumnsSql}`;
