import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** What an organization has, as it is this moment; null when there is no such organization. */
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
