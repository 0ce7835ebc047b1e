import type { ApiKeyPermissions } from '@holdfast/domain/apiKey';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type FoundApiKey = {
  organizationId: string;
  apiKeyId: string;
  permissions: ApiKeyPermissions;
  /** Of a rotated value: what is left of its grace period. Null: no end is set. */
  validForMs: number | null;
};

/** The key that a value (by its SHA-256) belongs to, unless it is revoked or past its grace period. */
export async function findApiKey(db: Database, hash: string): Promise<FoundApiKey | null> {
  const [found] = await runStatement<FoundApiKey>(db.pool, 'find_api_key', statement, [hash]);
  return found ?? null;
}

const statement = `
SELECT k.organization_id AS "organizationId", k.id AS "apiKeyId", k.permissions,
  (extract(epoch FROM v.valid_until - now()) * 1000)::float8 AS "validForMs"
FROM api_key_values v JOIN api_keys k ON k.id = v.api_key_id
WHERE v.hash = $1 AND k.revoked_at IS NULL AND (v.valid_until IS NULL OR v.valid_until > now())`;
