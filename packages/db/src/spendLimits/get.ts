import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { thisMonth } from './thisMonth.ts';

/** `spent` of this month (UTC), which is `YYYY-MM`. */
export type SpendLimit = { amount: Money; month: string; spent: Money };

/** The limits of organizations and keys, by their ids; who has none is not in it. */
export async function getSpendLimits(db: Database, scopeIds: string[]): Promise<Map<string, SpendLimit>> {
  if (scopeIds.length === 0) return new Map();
  const rows = await runStatement<SpendLimit & { scopeId: string }>(db.pool, 'get_spend_limits', statement, [
    scopeIds,
  ]);
  return new Map(rows.map(({ scopeId, ...limit }) => [scopeId, limit]));
}

/** A row whose month is over stays until the next create: nothing was spent since. */
const statement = `
SELECT scope_id AS "scopeId", amount, to_char(${thisMonth}, 'YYYY-MM') AS month,
  CASE WHEN month = ${thisMonth} THEN spent ELSE 0 END AS spent
FROM spend_limits WHERE scope_id = ANY ($1::text[])`;
