import type { PauseReason } from '@holdfast/domain/batch';
import { batchRank } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { thisMonthSql } from '../executions/insert.ts';
import { hasKeySql, runStatement } from '../statement.ts';
import { itemsOfSql } from './items.ts';
import { balanceSql } from './turns.ts';

export type Admission = {
  created: { id: string; model: string }[];
  /** Why the next item was not admitted; null: there is none, or no room for it. */
  blockedBy: Exclude<PauseReason, 'requested'> | null;
};

/**
 * Creates executions for the next items of a running batch, one for each of `ids` at most, while fewer than `maxOpen` of it are
 * open and there is money: holds, executions, counts and items in one statement. @throws a lock timeout (see locks.ts)
 */
export async function admitItems(
  db: Database,
  batch: { id: string; organizationId: string; apiKeyId: string },
  ids: string[],
  maxOpen: number,
): Promise<Admission> {
  const [row] = await runStatement<Admission>(db.pool, 'admit_batch_items', statement, [
    batch.id,
    batch.organizationId,
    batch.apiKeyId,
    ids,
    maxOpen,
  ]);
  return row ?? { created: [], blockedBy: null };
}

// Balance, spend limits, batch: in the order in which everything else locks them. An item that another admission took meanwhile
// is found in its new state when it is locked, and left out. Items are taken in order, until one is not covered.
const statement = `
WITH ${balanceSql},
spend AS MATERIALIZED (
  SELECT scope_id, amount, CASE WHEN month = ${thisMonthSql} THEN spent ELSE 0 END AS spent FROM spend_limits
  WHERE scope_id = ANY (ARRAY[$2::text, $3::text]) AND (SELECT count(*) FROM balance) > 0 AND month <= ${thisMonthSql}
  ORDER BY scope_id FOR UPDATE
),
batch AS MATERIALIZED (
  SELECT id, events, running, cost, held, reserved, max_cost FROM batches
  WHERE id = $1 AND status = 'running' AND expires_at > now()
    AND (SELECT count(*) FROM balance) > 0 AND (SELECT count(*) FROM spend) >= 0
  FOR UPDATE
),
item AS MATERIALIZED (
  SELECT batch_id, custom_id, position, model, input, metadata, timeout_s, estimated_cost, hold, model_version FROM batch_items
  WHERE batch_id = (SELECT id FROM batch) AND status = 'waiting' AND number IS NULL
  ORDER BY position LIMIT least(cardinality($4::text[]), greatest(0, $5::int - (SELECT running FROM batch))) FOR UPDATE
),
asked AS MATERIALIZED (
  SELECT i.*, t.events AS reports, row_number() OVER w AS n, sum(i.hold) OVER w AS total,
    b.available + t.reserved - sum(i.hold) OVER w AS left_available, t.max_cost - t.cost - t.held - sum(i.hold) OVER w AS left_of_batch,
    (SELECT min(s.amount - s.spent) FROM spend s) - sum(i.hold) OVER w AS left_to_spend
  FROM item i CROSS JOIN balance b CROSS JOIN batch t WINDOW w AS (ORDER BY i.position, i.custom_id)
),
placed AS MATERIALIZED (
  SELECT *, ($4::text[])[n] AS id FROM asked
  WHERE left_available >= 0 AND coalesce(left_of_batch, 0) >= 0 AND coalesce(left_to_spend, 0) >= 0
),
summed AS MATERIALIZED (
  SELECT count(*)::int AS admitted, coalesce(sum(hold), 0) AS held, least((SELECT reserved FROM batch), coalesce(sum(hold), 0)) AS unreserved
  FROM placed
),
created AS (
  INSERT INTO executions (id, organization_id, api_key_id, model, status, input, metadata, hold_amount, estimated_cost,
    expires_at, priority, model_version, batch_id, custom_id, events)
  SELECT id, $2, $3, model, 'PENDING', input, metadata, hold, estimated_cost,
    now() + (timeout_s + ${limits.batchStartS}) * interval '1 second', ${batchRank}, model_version, batch_id, custom_id,
    nullif(reports, 'all') FROM placed
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after, held_after,
    execution_id, batch_id)
  SELECT $2, b.sequence + 1, 'unreserve', 'held', 'available', s.unreserved, b.available + s.unreserved, b.held - s.unreserved,
    NULL, $1 FROM summed s CROSS JOIN balance b WHERE s.unreserved > 0
  UNION ALL
  SELECT $2, b.sequence + p.n + CASE WHEN s.unreserved > 0 THEN 1 ELSE 0 END, 'hold', 'available', 'held', p.hold,
    b.available + s.unreserved - p.total, b.held - s.unreserved + p.total, p.id, NULL
  FROM placed p CROSS JOIN summed s CROSS JOIN balance b
),
spending AS (
  UPDATE spend_limits l SET month = ${thisMonthSql}, spent = s.spent + t.held FROM spend s, summed t
  WHERE t.held > 0 AND ${hasKeySql('l.scope_id', 's.scope_id')}
),
counted AS (
  UPDATE batches t SET waiting = t.waiting - s.admitted, running = t.running + s.admitted, held = t.held + s.held,
    reserved = t.reserved - s.unreserved
  FROM summed s WHERE ${hasKeySql('t.id', '$1')} AND s.admitted > 0
),
moved AS (
  UPDATE batch_items i SET status = 'running', input = NULL, metadata = NULL,
    execution_id = ($4::text[])[array_position(ARRAY (SELECT custom_id FROM placed ORDER BY n), i.custom_id)]
  WHERE ${itemsOfSql('placed')}
)
SELECT (SELECT coalesce(json_agg(json_build_object('id', id, 'model', model)), '[]') FROM placed) AS created, (
  SELECT CASE WHEN left_of_batch < 0 THEN 'max_cost' WHEN left_available < 0 THEN 'insufficient_balance' ELSE 'spend_limit' END
  FROM asked WHERE n = (SELECT admitted + 1 FROM summed)
) AS "blockedBy"`;
