import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/**
 * Marks as deleted at most `limit` files whose time is over, and uploads and outputs whose bytes never came in a day;
 * answers their ids, whose bytes are then to be removed from the store.
 */
export async function deleteRemovableFiles(db: Database, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'delete_removable_files', statement, [limit]);
  return rows.map(({ id }) => id);
}

const statement = `
WITH removable AS (
  (SELECT id FROM files WHERE expires_at <= now() AND state <> 'deleted' LIMIT $1)
  UNION
  (SELECT id FROM files WHERE state = 'awaiting_upload' AND created_at < now() - interval '1 day' LIMIT $1)
)
UPDATE files f SET state = 'deleted' FROM removable r WHERE f.id = r.id RETURNING f.id`;
