import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type FileRow, fileColumnsSql } from './row.ts';

/** Those of an organization's files with these ids that are neither deleted nor expired. */
export async function getFiles(db: Database, organizationId: string, ids: string[]): Promise<FileRow[]> {
  if (ids.length === 0) return [];
  return runStatement<FileRow>(db.pool, 'get_files', statement, [ids, organizationId]);
}

const statement = `SELECT ${fileColumnsSql} FROM files
  WHERE id = ANY($1::text[]) AND organization_id = $2 AND state <> 'deleted'
    AND (expires_at IS NULL OR expires_at > now())`;
