import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** `keys`: wherever the store may have its bytes, an upload that came after the check among them. */
export type RemovableFile = { id: string; keys: string[] };

/**
 * At most `limit` files whose time is over, and outputs that a crash left half stored. An upload that nobody has used
 * yet stays: its bytes may be there.
 */
export async function listRemovableFiles(db: Database, limit: number): Promise<RemovableFile[]> {
  return runStatement<RemovableFile>(db.pool, 'list_removable_files', list, [limit]);
}

/** The bytes of these files are gone from the store. Marked before, a crash would leave them there for ever. */
export async function markFilesDeleted(db: Database, ids: string[]): Promise<void> {
  await runStatement(db.pool, 'mark_files_deleted', mark, [ids]);
}

const keysSql = `array_remove(ARRAY[id, object_key], NULL)`;
const list = `
(SELECT id, ${keysSql} AS keys FROM files WHERE expires_at <= now() AND state <> 'deleted' LIMIT $1)
UNION
(SELECT id, ${keysSql} AS keys FROM files WHERE state = 'awaiting_upload' AND origin = 'output' AND created_at < now() - interval '1 day' LIMIT $1)`;

const mark = `UPDATE files SET state = 'deleted' WHERE id = ANY ($1::text[])`;
