import type { retryableItemStatuses } from '@holdfast/domain/batch';
import type { Database } from '../client.ts';
import { hasKeySql, runStatement } from '../statement.ts';
import { itemsOfSql } from './items.ts';

export type RetryFilter = {
  statuses: readonly (typeof retryableItemStatuses)[number][] | null;
  customIds: readonly string[] | null;
  errorCodes: readonly string[] | null;
};

type Page = { is_found: boolean; retried: number; last: string | null; ended: string | null };

const pageSize = 2000;

/**
 * Lets ended items wait again, and the batch run again with a new window. Items whose execution was erased or dropped stay, and so
 * does an item with an error. Each page is a statement, and ends the retry if the batch was cancelled meanwhile. Returns how many;
 * null: the batch is open or erased, or its cancel or expiry is not done.
 */
export async function retryItems(
  db: Database,
  batch: { id: string; organizationId: string },
  filter: RetryFilter,
): Promise<number | null> {
  let retried = 0;
  // Items that fail again while others are moved are not moved twice.
  let upTo: string | null = null;
  for (let after: string | null = '0'; after !== null; ) {
    const values = [batch.id, batch.organizationId, filter.statuses, filter.customIds, filter.errorCodes];
    const place = [after, upTo, pageSize, retried > 0];
    const rows: Page[] = await runStatement<Page>(db.pool, 'retry_batch_items', statement, [
      ...values,
      ...place,
    ]);
    const [page] = rows;
    if (!page?.is_found) return upTo === null ? null : retried;
    retried += page.retried;
    upTo ??= page.ended;
    after = page.last;
  }
  return retried;
}

// The input goes back to the item from its last execution, which had the only copy; one that had none has it yet.
const statement = `
WITH batch AS MATERIALIZED (
  SELECT id, ended FROM batches
  WHERE id = $1 AND organization_id = $2 AND status <> 'open' AND erased_at IS NULL
    AND (coalesce(ends_as, 'completed') = 'completed' OR (status <> 'finishing' AND NOT $9::boolean))
  FOR UPDATE
),
page AS MATERIALIZED (
  SELECT custom_id, status, number, execution_id, error IS NOT NULL AS is_refused FROM batch_items
  WHERE batch_id = (SELECT id FROM batch) AND status IN ('failed', 'cancelled', 'expired') AND number > $6::bigint
    AND number <= coalesce($7::bigint, (SELECT ended FROM batch))
  ORDER BY number LIMIT $8::int FOR UPDATE
),
wanted AS MATERIALIZED (
  SELECT p.* FROM page p LEFT JOIN LATERAL (
    SELECT id, error_code, erased_at FROM executions WHERE id = p.execution_id OFFSET 0
  ) e ON true
  WHERE ($3::text[] IS NULL OR p.status = ANY ($3)) AND ($4::text[] IS NULL OR p.custom_id = ANY ($4))
    AND ($5::text[] IS NULL OR e.error_code = ANY ($5))
    AND NOT p.is_refused AND (p.execution_id IS NULL OR (e.id IS NOT NULL AND e.erased_at IS NULL))
),
moved AS (
  UPDATE batch_items i SET status = 'waiting', number = NULL, former_ids = array_append(i.former_ids, i.execution_id),
    input = coalesce((SELECT input FROM executions WHERE id = i.execution_id), i.input),
    metadata = coalesce((SELECT metadata FROM executions WHERE id = i.execution_id), i.metadata)
  WHERE ${itemsOfSql('wanted')}
),
counted AS (
  UPDATE batches t SET status = 'running', ends_as = NULL, reason = NULL, ended_at = NULL, output_bytes = NULL,
    error_bytes = NULL, sealed_at = coalesce(t.sealed_at, now()),
    expires_at = now() + t.window_s * interval '1 second', waiting = t.waiting + w.n, failed = t.failed - w.failed,
    cancelled = t.cancelled - w.cancelled, expired = t.expired - w.expired
  FROM (
    SELECT count(*)::int AS n, count(*) FILTER (WHERE status = 'failed')::int AS failed,
      count(*) FILTER (WHERE status = 'cancelled')::int AS cancelled, count(*) FILTER (WHERE status = 'expired')::int AS expired
    FROM wanted
  ) w WHERE ${hasKeySql('t.id', '$1')} AND w.n > 0
)
SELECT EXISTS (SELECT FROM batch) AS is_found, (SELECT count(*)::int FROM wanted) AS retried,
  CASE WHEN (SELECT count(*) FROM page) = $8::int THEN (SELECT max(number) FROM page)::text END AS last,
  (SELECT ended FROM batch)::text AS ended`;
