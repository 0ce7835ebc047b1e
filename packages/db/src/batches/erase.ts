import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { itemsOfSql } from './items.ts';

/** From now on its files are gone; `eraseItems` erases the rest. Repeatable. False: it has not ended. */
export async function eraseBatch(db: Database, organizationId: string, id: string): Promise<boolean> {
  return (await runStatement(db.pool, 'erase_batch', eraseSql, [id, organizationId])).length > 0;
}

const eraseSql = `
WITH erased AS (
  UPDATE batches SET erased_to = CASE WHEN erased_at IS NULL THEN '' ELSE erased_to END, erased_at = coalesce(erased_at, now()),
    defaults = NULL, metadata = NULL, webhook_url = NULL, input_errors = NULL
  WHERE id = $1 AND organization_id = $2 AND ended_at IS NOT NULL RETURNING id
),
file AS (
  UPDATE files SET expires_at = least(expires_at, date_trunc('milliseconds', now()))
  WHERE id IN (batch_file_id($1, 'output'), batch_file_id($1, 'error')) AND EXISTS (SELECT FROM erased)
),
event AS (
  UPDATE events v SET body = (v.body::jsonb #- '{data,metadata}')::text
  WHERE v.batch_id = (SELECT id FROM erased)
)
SELECT id FROM erased`;

export type ErasedItems = {
  organizationId: string;
  /** All executions of these items. */
  executionIds: string[];
  /** The `custom_id` of the last of them; null: these are the last of the batch. */
  last: string | null;
};

/** The batches whose items are to be erased. */
export async function batchesToErase(db: Database): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'batches_to_erase', toEraseSql, []);
  return rows.map(({ id }) => id);
}

const toEraseSql = 'SELECT id FROM batches WHERE erased_to IS NOT NULL ORDER BY id LIMIT 100';

/** Erases the next items of an erased batch, but not their executions; null: none is left. `recordErased` goes on behind them. */
export async function eraseNextItems(db: Database, id: string, limit: number): Promise<ErasedItems | null> {
  const [row] = await runStatement<ErasedItems>(db.pool, 'erase_batch_items', itemsSql, [id, limit]);
  return row ?? null;
}

const itemsSql = `
WITH batch AS MATERIALIZED (SELECT id, organization_id, erased_to FROM batches WHERE id = $1 AND erased_to IS NOT NULL),
page AS MATERIALIZED (
  SELECT custom_id, execution_id, former_ids FROM batch_items
  WHERE batch_id = $1 AND custom_id > (SELECT erased_to FROM batch) ORDER BY custom_id LIMIT $2::int FOR UPDATE
),
cleared AS (
  UPDATE batch_items i SET input = NULL, metadata = NULL, error = NULL WHERE ${itemsOfSql('page')}
)
SELECT b.organization_id AS "organizationId", CASE WHEN (SELECT count(*) FROM page) = $2::int THEN (SELECT max(custom_id) FROM page) END AS last,
  (SELECT coalesce(array_agg(id), '{}') FROM (
    SELECT execution_id AS id FROM page WHERE execution_id IS NOT NULL UNION SELECT unnest(former_ids) FROM page
  ) e) AS "executionIds"
FROM batch b`;

/** Remembers how far the items are erased, with their executions; `last` null: all are. */
export async function recordErased(db: Database, id: string, last: string | null): Promise<void> {
  await runStatement(db.pool, 'record_erased_items', recordSql, [id, last]);
}

const recordSql = `UPDATE batches SET erased_to = $2
WHERE id = $1 AND erased_to IS NOT NULL AND ($2::text IS NULL OR erased_to < $2)`;
