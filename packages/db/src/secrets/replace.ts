import type { Database } from '../client.ts';
import type { SealedRow } from './list.ts';
import type { SealedColumn } from './sealedColumns.ts';

/**
 * Puts `resealed` in the place of each text that is still what it was when it was read: what was changed meanwhile is
 * left as it is. Answers how many were replaced. The rows are locked in the order of their ids, as everywhere.
 */
export async function replaceSealed(
  db: Database,
  { table, column }: SealedColumn,
  rows: (SealedRow & { resealed: string })[],
): Promise<number> {
  const { rowCount } = await db.pool.query(
    `WITH held AS MATERIALIZED (SELECT id FROM ${table} WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE)
     UPDATE ${table} t SET ${column} = r.resealed
     FROM unnest($1::text[], $2::text[], $3::text[]) AS r (id, sealed, resealed) JOIN held h ON h.id = r.id
     WHERE t.id = r.id AND t.${column} = r.sealed`,
    [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed), rows.map(({ resealed }) => resealed)],
  );
  return rowCount ?? 0;
}
