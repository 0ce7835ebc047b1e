import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type FileRow, fileColumnsSql } from './row.ts';

export type FoundBytes = {
  key: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
};

/** An upload whose bytes were found and are right; null when it is not awaited (any more). */
export async function markFileReady(db: Database, id: string, found: FoundBytes): Promise<FileRow | null> {
  const values = [id, found.filename, found.contentType, found.sizeBytes, found.key];
  const [row] = await runStatement<FileRow>(db.pool, 'mark_file_ready', statement, values);
  return row ?? null;
}

const statement = `UPDATE files SET state = 'ready', filename = $2, content_type = $3, size_bytes = $4,
    object_key = $5
  WHERE id = $1 AND state = 'awaiting_upload'
  RETURNING ${fileColumnsSql}`;
