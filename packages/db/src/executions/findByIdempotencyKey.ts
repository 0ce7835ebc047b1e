import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type KnownKey = { executionId: string; requestHash: string };

/** The execution that an organization's idempotency key stands for; null when the key was never used. */
export async function findByIdempotencyKey(
  db: Database,
  organizationId: string,
  key: string,
): Promise<KnownKey | null> {
  const [known] = await runStatement<KnownKey>(db.pool, 'find_idempotency_key', statement, [
    organizationId,
    key,
  ]);
  return known ?? null;
}

const statement = `SELECT execution_id AS "executionId", request_hash AS "requestHash" FROM idempotency_keys
WHERE organization_id = $1 AND key = $2`;
