import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Takes the limit of an organization or a key away, again if need be. */
export async function removeSpendLimit(db: Database, scopeId: string): Promise<void> {
  await runStatement(db.pool, 'remove_spend_limit', statement, [scopeId]);
}

const statement = `DELETE FROM spend_limits WHERE scope_id = $1`;
