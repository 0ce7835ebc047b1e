import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Whether the bytes of an upload may still change: once they were checked, those are the file's. */
export async function isFileReplaceable(db: Database, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'is_file_replaceable', statement, [id]);
  return rows.length > 0;
}

const statement = `SELECT 1 FROM files WHERE id = $1 AND state = 'awaiting_upload'
  AND (expires_at IS NULL OR expires_at > now())`;
