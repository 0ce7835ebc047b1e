import type { IdPrefix } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';

export type Page<Row> = {
  rows: Row[];
  /** The id after which the next page starts; null: this is the last one. */
  next: string | null;
};

/**
 * CTEs of a recursive query: after a row without an id, `page` has the first ids of the query `ids`, at most `limit` and
 * only until their lengths, which `bytes` reads, add up to `limits.pageBytes`. Later ones are not read: PostgreSQL
 * decompresses an output for its length. `next` is the row's own id when others follow it.
 */
export function pageSql(args: { ids: string; limit: string; bytes: (id: string) => string }): string {
  const { ids, limit, bytes } = args;
  const id = 'ids[nth + 1]';
  return `listed AS MATERIALIZED (SELECT ARRAY (${ids} LIMIT ${limit} + 1) AS ids),
page (nth, id, bytes, next) AS (
  SELECT 0, NULL::text COLLATE "C", 0::bigint, NULL::text COLLATE "C"
  UNION ALL
  SELECT nth + 1, ${id}, bytes + coalesce(${bytes(id)}, 0), CASE WHEN nth + 1 < cardinality(ids) THEN ${id} END
  FROM page CROSS JOIN listed WHERE nth < least(cardinality(ids), ${limit}) AND bytes < ${limits.pageBytes}
)`;
}

/** Ids are in the order of time. */
export type Order = 'asc' | 'desc';

/** Rows with `id` after the one of the page before, `after` (null: this is the first). Its index leads to them. */
export function afterSql(id: string, prefix: IdPrefix, after: string, order: Order): string {
  const [sign, end] = order === 'asc' ? ['>', `${prefix}_`] : ['<', `${prefix}_g`];
  return `${id} ${sign} coalesce(${after}::text, '${end}')`;
}
