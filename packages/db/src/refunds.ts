import type { Money } from '@holdfast/domain/money';
import type { PoolClient } from 'pg';
import { type Adjustment, adjustmentColumns } from './balances.ts';
import type { Database } from './client.ts';
import { inTransaction, runStatement } from './statement.ts';

export type RefundRequest = {
  executionId: string;
  /** Null: all that is left of the charge. */
  amount: Money | null;
  reason: string | null;
  idempotencyKey: string;
  /** By the database's clock; nothing is written later. */
  until: Date;
};

export type RefundResult =
  | { outcome: 'added'; transfer: Adjustment; isReplay: boolean }
  | { outcome: 'key used' }
  | { outcome: 'above the charge'; left: Money }
  | { outcome: 'too late' }
  | { outcome: 'no execution' };

/**
 * Returns what an execution was charged, or a part of it, by a correction that names the execution, once per idempotency key.
 * The lock of the balance lets each refund see the earlier ones.
 */
export async function refundExecution(db: Database, request: RefundRequest): Promise<RefundResult> {
  const { executionId, amount, reason, idempotencyKey, until } = request;
  return await inTransaction(db, async (client) => {
    const [owner] = await runStatement<{ id: string }>(client, 'lock_owner', lock, [executionId]);
    if (!owner) return { outcome: 'no execution' };
    const [known] = await runStatement<Known>(client, 'find_refund', find, [owner.id, idempotencyKey]);
    if (known && known.refundOf !== executionId) return { outcome: 'key used' };
    if (known) return { outcome: 'added', transfer: known, isReplay: true };
    const values = [executionId, owner.id, amount, reason, idempotencyKey, until];
    const [transfer] = await runStatement<Adjustment>(client, 'add_refund', insert, values);
    if (transfer) return { outcome: 'added', transfer, isReplay: false };
    const { left, isRefused } = await readLeft(client, executionId, amount);
    return isRefused ? { outcome: 'above the charge', left } : { outcome: 'too late' };
  });
}

/** What a refund may still return: what the execution was charged, also by its review, minus earlier refunds. */
export async function refundableOf(db: Database, executionId: string): Promise<Money> {
  const { left } = await readLeft(db.pool, executionId, null);
  return left;
}

type Known = Adjustment & { refundOf: string | null };

type Left = { left: Money; isRefused: boolean };

async function readLeft(
  client: PoolClient | Database['pool'],
  id: string,
  amount: Money | null,
): Promise<Left> {
  const [row] = await runStatement<Left>(client, 'refundable', read, [id, amount]);
  return row ?? { left: '0', isRefused: true };
}

const lock = `SELECT b.organization_id AS id FROM balances b
WHERE b.organization_id = (SELECT organization_id FROM executions WHERE id = $1) FOR UPDATE`;

const find = `SELECT ${adjustmentColumns}, refund_of AS "refundOf" FROM transfers
WHERE execution_id IS NULL AND organization_id = $1 AND idempotency_key = $2`;

const leftSql = `SELECT coalesce(e.cost, 0)
    + coalesce((SELECT r.charged FROM reviews r WHERE r.execution_id = e.id), 0)
    - coalesce((SELECT sum(t.amount) FROM transfers t WHERE t.execution_id IS NULL AND t.refund_of = e.id), 0) AS amount
  FROM executions e WHERE e.id = $1`;

const read = `SELECT l.amount AS left, l.amount <= 0 OR $2::numeric > l.amount IS TRUE AS "isRefused" FROM (${leftSql}) l`;

/** The trigger `transfers_post` updates the balance. */
const insert = `
INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
  held_after, reason, idempotency_key, refund_of)
SELECT b.organization_id, b.sequence + 1, 'correction', 'funding', 'available', r.amount, b.available + r.amount, b.held,
  $4, $5, $1
FROM balances b CROSS JOIN (SELECT l.amount AS left, coalesce($3::numeric, l.amount) AS amount FROM (${leftSql}) l) r
WHERE b.organization_id = $2 AND r.amount > 0 AND r.amount <= r.left AND clock_timestamp() <= $6::timestamptz
RETURNING ${adjustmentColumns}`;
