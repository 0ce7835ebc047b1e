import {
  type Batch,
  batchTransitions,
  type FinalBatchStatus,
  type PauseReason,
} from '@holdfast/domain/batch';
import { deliveryLane } from '@holdfast/domain/events';
import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { thisMonthSql } from '../executions/insert.ts';
import { quotedList } from '../executions/read.ts';
import { maxLockWaitMs } from '../locks.ts';
import { checkedSql, hasKeySql, idAt, runStatement } from '../statement.ts';
import { batchEventsSql } from './batchEvents.ts';
import { batchColumnsSql } from './batches.ts';
import { itemsOfSql } from './items.ts';

/** Batches that may have something to do, the oldest first: see the service's batch turns. */
export type DueBatch = Pick<
  Batch,
  'id' | 'organizationId' | 'apiKeyId' | 'webhookUrl' | 'status' | 'endsAs' | 'reason' | 'waiting' | 'running'
> & { onInsufficientBalance: Batch['onInsufficientBalance']; isOverdue: boolean };

export async function dueBatches(db: Database, after: string, maxOpen: number): Promise<DueBatch[]> {
  return await runStatement<DueBatch>(db.pool, 'due_batches', dueSql, [after, maxOpen]);
}

const duePage = 500;

const dueSql = `SELECT id, organization_id AS "organizationId", api_key_id AS "apiKeyId", webhook_url AS "webhookUrl", status,
  ends_as AS "endsAs", reason, waiting, running, on_insufficient_balance AS "onInsufficientBalance", expires_at <= now() AS "isOverdue"
FROM batches
WHERE ended_at IS NULL AND id > $1 AND CASE status
  WHEN 'running' THEN waiting = 0 OR running < $2 OR expires_at <= now()
  WHEN 'paused' THEN reason IN ('insufficient_balance', 'spend_limit') OR expires_at <= now()
  WHEN 'finishing' THEN waiting > 0 OR running = 0 OR ends_as = 'cancelled'
  ELSE expires_at <= now() END
ORDER BY id LIMIT ${duePage}`;

/** Executions created within this time count as present: see `hasInteractive`. */
const presentMs = 2000;

/** Whether there are executions beside those of batches: some were created just now. */
export async function hasInteractive(db: Database): Promise<boolean> {
  const from = idAt('exec', Date.now() - presentMs);
  return (await runStatement(db.pool, 'has_interactive', hasInteractiveSql, [from])).length > 0;
}

const hasInteractiveSql = `SELECT id FROM executions WHERE id >= $1 AND ${checkedSql('batch_id IS NULL')} ORDER BY id LIMIT 1`;

export type Sealed =
  | { outcome: 'sealed'; batch: Batch }
  /** The balance does not cover the reservation. */
  | { outcome: 'insufficient'; wanted: Money }
  | { outcome: 'not open' };

/** Moves an open batch to running. A reservation takes the holds of all items, at most `max_cost`, from the balance. */
export async function sealBatch(db: Database, organizationId: string, id: string): Promise<Sealed> {
  type Row = Batch & { wanted: Money };
  const [row] = await runStatement<Row>(db.pool, 'seal_batch', sealSql, [id, organizationId]);
  if (!row) return { outcome: 'not open' };
  const { wanted, ...batch } = row;
  return batch.id === null ? { outcome: 'insufficient', wanted } : { outcome: 'sealed', batch };
}

/** Locks the balance of the organization $2. */
export const balanceSql = `balance AS MATERIALIZED (
  SELECT available, held, sequence FROM locked_balances(ARRAY[$2::text], ${maxLockWaitMs})
)`;

const sealSql = `
WITH ${balanceSql},
batch AS MATERIALIZED (
  SELECT id, CASE WHEN reserve THEN least(max_cost, (SELECT coalesce(sum(hold), 0) FROM batch_items WHERE batch_id = $1)) ELSE 0 END
    AS wanted
  FROM batches WHERE id = $1 AND organization_id = $2 AND status = 'open' AND (SELECT count(*) FROM balance) > 0 FOR UPDATE
),
covered AS MATERIALIZED (SELECT t.id, t.wanted FROM batch t CROSS JOIN balance b WHERE b.available >= t.wanted OR t.wanted = 0),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after, held_after, batch_id)
  SELECT $2, b.sequence + 1, 'reserve', 'available', 'held', c.wanted, b.available - c.wanted, b.held + c.wanted, c.id
  FROM covered c CROSS JOIN balance b WHERE c.wanted > 0
),
sealed AS (
  UPDATE batches t SET status = 'running', sealed_at = now(), expires_at = now() + t.window_s * interval '1 second', reserved = c.wanted
  FROM covered c WHERE ${hasKeySql('t.id', 'c.id')} RETURNING t.*
)
SELECT w.wanted, ${batchColumnsSql} FROM (SELECT wanted FROM batch) w LEFT JOIN sealed ON true`;

const guardSql = (transition: keyof typeof batchTransitions) =>
  `id = $1 AND organization_id = $2 AND status IN (${quotedList(batchTransitions[transition].from)})`;

type Turn = { id: string; organizationId: string; webhookUrl: string | null };

const laneOf = ({ organizationId, webhookUrl }: Turn) =>
  webhookUrl === null ? null : deliveryLane({ endpointId: null, organizationId, url: webhookUrl });

/**
 * -> paused, with its event. One that is blocked stays as it is while executions of it are open: what they return may cover the
 * next item. Returns whether it is paused now for this reason.
 */
export async function pauseBatch(db: Database, batch: Turn, reason: PauseReason): Promise<boolean> {
  const values = [batch.id, batch.organizationId, reason, laneOf(batch)];
  return (await runStatement(db.pool, 'pause_batch', pauseSql, values)).length > 0;
}

const pauseSql = `
WITH turned AS (
  UPDATE batches SET status = 'paused', reason = $3
  WHERE ${guardSql('pause')} AND waiting > 0 AND ($3 = 'requested' OR running = 0)
  RETURNING *, 'batch.paused' AS event_type
),
${batchEventsSql('turned', '$4::text')}
SELECT id FROM reported`;

/** Moves a paused batch to running. `maxCost` takes the place of the batch's, unless it is null. */
export async function resumeBatch(
  db: Database,
  organizationId: string,
  id: string,
  maxCost: Money | null = null,
): Promise<boolean> {
  return await turn(db, 'resume_batch', resumeSql, [id, organizationId, maxCost]);
}

const resumeSql = `UPDATE batches SET status = 'running', reason = NULL, max_cost = coalesce($3, max_cost)
WHERE ${guardSql('resume')} RETURNING id`;

/** Resumes a batch that was paused for want of money, when there is enough for its next item. */
export async function resumeCovered(db: Database, batch: DueBatch): Promise<boolean> {
  return await turn(db, 'resume_covered_batch', resumeCoveredSql, [
    batch.id,
    batch.organizationId,
    batch.apiKeyId,
  ]);
}

const resumeCoveredSql = `UPDATE batches t SET status = 'running', reason = NULL
WHERE ${guardSql('resume')} AND reason IN ('insufficient_balance', 'spend_limit') AND (
  SELECT i.hold <= b.available + t.reserved AND NOT EXISTS (
    SELECT FROM spend_limits l WHERE l.scope_id IN ($2, $3) AND i.hold > l.amount - CASE
      WHEN l.month = ${thisMonthSql} THEN l.spent ELSE 0 END)
  FROM balances b CROSS JOIN LATERAL (
    SELECT hold FROM batch_items WHERE batch_id = $1 AND status = 'waiting' AND number IS NULL ORDER BY position LIMIT 1
  ) i WHERE b.organization_id = $2
) RETURNING id`;

/** -> finishing: no item is left to admit, or none may be admitted any more. */
export async function finishBatch(
  db: Database,
  { id, organizationId }: Pick<Batch, 'id' | 'organizationId'>,
  endsAs: FinalBatchStatus,
): Promise<boolean> {
  return await turn(db, `finish_batch_${endsAs}`, finishSql[endsAs], [id, organizationId]);
}

const toFinishing = (transition: keyof typeof batchTransitions, endsAs: FinalBatchStatus, when = 'true') =>
  `UPDATE batches SET status = 'finishing', ends_as = '${endsAs}', reason = NULL
  WHERE ${guardSql(transition)} AND ${when} RETURNING id`;

const finishSql: Record<FinalBatchStatus, string> = {
  completed: toFinishing('finish', 'completed', 'waiting = 0'),
  cancelled: toFinishing('cancel', 'cancelled'),
  expired: toFinishing('expire', 'expired', 'expires_at <= now()'),
};

/** Ends the next `limit` waiting items of a batch that was cancelled or has expired; returns how many. */
export async function closeItems(db: Database, batchId: string, limit: number): Promise<number> {
  const [row] = await runStatement<{ closed: number }>(db.pool, 'close_batch_items', closeSql, [
    batchId,
    limit,
  ]);
  return row?.closed ?? 0;
}

const closeSql = `
WITH batch AS MATERIALIZED (
  SELECT id, ends_as, ended FROM batches
  WHERE id = $1 AND status = 'finishing' AND ends_as IN ('cancelled', 'expired') FOR UPDATE
),
gone AS MATERIALIZED (
  SELECT custom_id, position FROM batch_items
  WHERE batch_id = (SELECT id FROM batch) AND status = 'waiting' AND number IS NULL ORDER BY position LIMIT $2 FOR UPDATE
),
closed AS (
  UPDATE batch_items i SET status = b.ends_as,
    number = b.ended + array_position(ARRAY (SELECT custom_id FROM gone ORDER BY position, custom_id), i.custom_id)
  FROM batch b WHERE ${itemsOfSql('gone')}
),
counted AS (
  UPDATE batches t SET waiting = t.waiting - g.n, ended = t.ended + g.n,
    cancelled = t.cancelled + CASE b.ends_as WHEN 'cancelled' THEN g.n ELSE 0 END,
    expired = t.expired + CASE b.ends_as WHEN 'expired' THEN g.n ELSE 0 END
  FROM batch b, (SELECT count(*)::int AS n FROM gone) g WHERE ${hasKeySql('t.id', 'b.id')} AND g.n > 0
)
SELECT count(*)::int AS closed FROM gone`;

/** Ends a finishing batch, with its event, when no item waits or runs. The rest of its reservation returns to the balance. */
export async function endBatch(db: Database, batch: Turn): Promise<FinalBatchStatus | null> {
  type Row = { status: FinalBatchStatus };
  const values = [batch.id, batch.organizationId, laneOf(batch)];
  const [row] = await runStatement<Row>(db.pool, 'end_batch', endSql, values);
  return row?.status ?? null;
}

const endSql = `
WITH ${balanceSql},
batch AS MATERIALIZED (
  SELECT id, reserved FROM batches
  WHERE id = $1 AND status = 'finishing' AND waiting = 0 AND running = 0 AND (SELECT count(*) FROM balance) > 0 FOR UPDATE
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after, held_after, batch_id)
  SELECT $2, b.sequence + 1, 'unreserve', 'held', 'available', t.reserved, b.available + t.reserved, b.held - t.reserved, t.id
  FROM batch t CROSS JOIN balance b WHERE t.reserved > 0
),
turned AS (
  UPDATE batches t SET status = t.ends_as, reserved = 0, ended_at = now() FROM batch b WHERE ${hasKeySql('t.id', 'b.id')}
  RETURNING t.*, 'batch.' || t.ends_as AS event_type
),
${batchEventsSql('turned', '$3::text')}
SELECT status FROM reported`;

async function turn(db: Database, name: string, text: string, values: unknown[]): Promise<boolean> {
  return (await runStatement(db.pool, name, text, values)).length > 0;
}
