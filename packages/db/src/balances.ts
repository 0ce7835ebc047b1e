import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import type { PoolClient } from 'pg';
import type { Database } from './client.ts';
import { inTransaction, runStatement } from './statement.ts';

export async function getBalance(
  db: Database,
  organizationId: string,
): Promise<{ available: Money; held: Money } | null> {
  const [balance] = await runStatement<{ available: Money; held: Money }>(db.pool, 'get_balance', statement, [
    organizationId,
  ]);
  return balance ?? null;
}

const statement = `SELECT available, held FROM balances WHERE organization_id = $1`;

export type AdjustmentKind = 'top_up' | 'correction';

export type AdjustmentRequest = {
  organizationId: string;
  kind: AdjustmentKind;
  amount: Money;
  reason: string | null;
  idempotencyKey: string | null;
  /** By the database's clock; nothing is written later. */
  until?: Date;
};

export type Adjustment = {
  kind: AdjustmentKind;
  amount: Money;
  availableAfter: Money;
  reason: string | null;
  createdAt: Date;
  sequence: string;
};

export type AdjustResult =
  | { outcome: 'added'; transfer: Adjustment; isReplay: boolean }
  | { outcome: 'insufficient'; available: Money }
  | { outcome: 'too late' }
  | { outcome: 'no organization' };

/** Adjusts a balance once per idempotency key; a repeat returns the first transfer, for the caller to compare. */
export async function adjustBalance(db: Database, request: AdjustmentRequest): Promise<AdjustResult> {
  return await inTransaction(db, (client) => adjustWithin(client, request));
}

/** The same within the transaction of `client`. */
export async function adjustWithin(client: PoolClient, request: AdjustmentRequest): Promise<AdjustResult> {
  const { organizationId, amount, idempotencyKey } = request;
  const [balance] = await runStatement<{ available: Money }>(client, 'lock_balance', lock, [organizationId]);
  if (!balance) return { outcome: 'no organization' };
  const [known] = await runStatement<Adjustment>(client, 'find_adjustment', find, [
    organizationId,
    idempotencyKey,
  ]);
  if (known) return { outcome: 'added', transfer: known, isReplay: true };
  const isTaken = new MoneyDecimal(amount).lt(0);
  if (isTaken && new MoneyDecimal(balance.available).plus(amount).lt(0)) {
    return { outcome: 'insufficient', available: balance.available };
  }
  const transfer = await add(client, request);
  return transfer ? { outcome: 'added', transfer, isReplay: false } : { outcome: 'too late' };
}

async function add(client: PoolClient, request: AdjustmentRequest): Promise<Adjustment | undefined> {
  const { organizationId, kind, amount, reason, idempotencyKey, until = null } = request;
  const values = [organizationId, kind, amount, reason, idempotencyKey, until];
  const [added] = await runStatement<Adjustment>(client, 'add_adjustment', insert, values);
  return added;
}

export const adjustmentColumns = `kind, CASE debit_account WHEN 'available' THEN -amount ELSE amount END AS amount,
  available_after AS "availableAfter", reason, created_at AS "createdAt", sequence`;

const lock = `SELECT available FROM balances WHERE organization_id = $1 FOR UPDATE`;

const find = `SELECT ${adjustmentColumns} FROM transfers
WHERE execution_id IS NULL AND organization_id = $1 AND idempotency_key = $2`;

/** The trigger `transfers_post` updates the balance. */
const insert = `
INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
  held_after, reason, idempotency_key)
SELECT $1, sequence + 1, $2, CASE WHEN $3::numeric < 0 THEN 'available' ELSE 'funding' END,
  CASE WHEN $3::numeric < 0 THEN 'funding' ELSE 'available' END, abs($3::numeric), available + $3::numeric, held, $4, $5
FROM balances WHERE organization_id = $1 AND ($6::timestamptz IS NULL OR clock_timestamp() <= $6)
RETURNING ${adjustmentColumns}`;

export async function topUp(
  db: Database,
  args: { organizationId: string; amount: Money; reason: string | null; idempotencyKey: string | null },
): Promise<Adjustment> {
  const result = await adjustBalance(db, { ...args, kind: 'top_up' });
  if (result.outcome !== 'added') throw new Error(`a top-up was not added: ${result.outcome}`);
  return result.transfer;
}
