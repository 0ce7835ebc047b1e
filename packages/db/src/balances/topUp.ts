import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';

export type TopUp = {
  amount: Money;
  availableAfter: Money;
  reason: string | null;
  createdAt: Date;
  sequence: string;
};

/**
 * funding -> available. Under an idempotency key, once: a repeat answers the transfer of the first (its amount tells
 * whether it was the same request). Null: no such organization.
 */
export async function topUp(
  db: Database,
  args: { organizationId: string; amount: Money; reason: string | null; idempotencyKey: string | null },
): Promise<TopUp | null> {
  const { organizationId, amount, reason, idempotencyKey } = args;
  return await inTransaction(db, async (client) => {
    const [balance] = await runStatement(client, 'lock_balance', lock, [organizationId]);
    if (!balance) return null;
    const [known] = await runStatement<TopUp>(client, 'find_top_up', find, [organizationId, idempotencyKey]);
    if (known) return known;
    const [added] = await runStatement<TopUp>(client, 'add_top_up', add, [
      organizationId,
      amount,
      reason,
      idempotencyKey,
    ]);
    return added ?? null;
  });
}

const columns = `amount, available_after AS "availableAfter", reason, created_at AS "createdAt", sequence`;

const lock = `SELECT FROM balances WHERE organization_id = $1 FOR UPDATE`;

const find = `SELECT ${columns} FROM transfers WHERE organization_id = $1 AND idempotency_key = $2`;

const add = `
INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
  held_after, reason, idempotency_key)
SELECT $1, sequence + 1, 'top_up', 'funding', 'available', $2::numeric, available + $2::numeric, held, $3, $4
FROM balances WHERE organization_id = $1
RETURNING ${columns}`;
