import type { Money } from '@holdfast/domain/money';
import { backoff, retry } from '@holdfast/kit/retry';
import type { Database } from './client.ts';
import { isLockTimeout } from './faults.ts';
import { maxLockWaitMs } from './locks.ts';
import { inTransaction, runStatement } from './statement.ts';

const thisMonth = `date_trunc('month', statement_timestamp() AT TIME ZONE 'UTC')::date`;

export type SpendLimit = { amount: Money; month: string; spent: Money };

export async function getSpendLimits(db: Database, scopeIds: string[]): Promise<Map<string, SpendLimit>> {
  if (scopeIds.length === 0) return new Map();
  const rows = await runStatement<SpendLimit & { scopeId: string }>(
    db.pool,
    'get_spend_limits',
    getSpendLimitsSql,
    [scopeIds],
  );
  return new Map(rows.map(({ scopeId, ...limit }) => [scopeId, limit]));
}

/** An outdated row stays until the next create: nothing was spent since. */
const getSpendLimitsSql = `
SELECT scope_id AS "scopeId", amount, to_char(${thisMonth}, 'YYYY-MM') AS month,
  CASE WHEN month = ${thisMonth} THEN spent ELSE 0 END AS spent
FROM spend_limits WHERE scope_id = ANY ($1::text[])`;

export async function removeSpendLimit(db: Database, scopeId: string): Promise<void> {
  await runStatement(db.pool, 'remove_spend_limit', removeSpendLimitSql, [scopeId]);
}

const removeSpendLimitSql = `DELETE FROM spend_limits WHERE scope_id = $1`;

export type NewSpendLimit = {
  organizationId: string;
  apiKeyId: string | null;
  amount: Money;
};

/** Sets a monthly limit (UTC), counting what was already spent. @throws when the organization is missing, or stays locked */
export async function setSpendLimit(db: Database, limit: NewSpendLimit): Promise<void> {
  await retry(
    async () => {
      while (!(await countSpent(db, limit))) await addRow(db, limit);
    },
    { delaysMs: backoff(100, 1000), forMs: 5000, isRetryable: isLockTimeout },
  );
}

// All creates wait behind a lock of the table, and that lock waits behind a balance that another session keeps.
const lockBriefly = `SET LOCAL lock_timeout = ${maxLockWaitMs}`;

const scopeOf = ({ organizationId, apiKeyId }: NewSpendLimit): string => apiKeyId ?? organizationId;

// A create or ending that waits for the balance would miss a row added since it began. So the row is added first,
// under a lock that waits for those statements and blocks new ones.
async function addRow(db: Database, limit: NewSpendLimit): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query(lockBriefly);
    await client.query('LOCK TABLE spend_limits IN SHARE ROW EXCLUSIVE MODE');
    const values = [scopeOf(limit), limit.organizationId, limit.amount];
    await runStatement(client, 'add_spend_limit', add, values);
  });
}

const add = `INSERT INTO spend_limits (scope_id, organization_id, amount, month, spent)
  VALUES ($1, $2, $3, ${thisMonth}, 0) ON CONFLICT DO NOTHING`;

/** Under the balance's lock, which creates and endings take. False: the row is missing. */
async function countSpent(db: Database, limit: NewSpendLimit): Promise<boolean> {
  const { organizationId, apiKeyId, amount } = limit;
  return await inTransaction(db, async (client) => {
    await client.query(lockBriefly);
    // Before the balance, as creates and endings do.
    await client.query('LOCK TABLE spend_limits IN ROW EXCLUSIVE MODE');
    const balances = await runStatement(client, 'lock_spender', lock, [organizationId]);
    if (balances.length === 0) throw new Error(`there is no organization ${organizationId}`);
    const rows = await runStatement(client, 'set_spend_limit', set, [
      scopeOf(limit),
      organizationId,
      apiKeyId,
      amount,
    ]);
    return rows.length > 0;
  });
}

const lock = `SELECT organization_id FROM balances WHERE organization_id = $1 FOR UPDATE`;

const set = `
UPDATE spend_limits SET amount = $4, month = ${thisMonth}, spent = (
  SELECT coalesce(sum(CASE WHEN completed_at IS NULL THEN hold_amount ELSE cost END), 0) FROM executions
  WHERE organization_id = $2 AND created_at >= ${thisMonth}::timestamp AT TIME ZONE 'UTC'
    AND ($3::text IS NULL OR api_key_id = $3)
)
WHERE scope_id = $1 RETURNING scope_id`;
