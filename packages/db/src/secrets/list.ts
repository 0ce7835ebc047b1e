import type { Database } from '../client.ts';
import { keyIdSql, type SealedColumn } from './sealedColumns.ts';

export type SealedRow = { id: string; sealed: string };

/** Rows whose text in that column is sealed with one of these keys: the first `limit` behind the id `after`, in order. */
export async function listSealed(
  db: Database,
  { table, column }: SealedColumn,
  page: { keyIds: readonly string[]; after: string; limit: number },
): Promise<SealedRow[]> {
  const { rows } = await db.pool.query<SealedRow>(
    `SELECT id, ${column} AS sealed FROM ${table}
     WHERE id > $1 AND ${keyIdSql(column)} = ANY ($2::text[]) ORDER BY id LIMIT $3`,
    [page.after, page.keyIds, page.limit],
  );
  return rows;
}
