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
  return (await findApiKeys(db, [hash])).get(hash) ?? null;
}

/** As `findApiKey`, of many at once, by their hashes. */
export async function findApiKeys(db: Database, hashes: string[]): Promise<Map<string, FoundApiKey>> {
  const rows = await runStatement<FoundApiKey & { hash: string }>(db.pool, 'find_api_keys', statement, [
    hashes,
  ]);
  return new Map(rows.map(({ hash, ...found }) => [hash, found]));
}

const statement = `
SELECT v.hash, k.organization_id AS "organizationId", k.id AS "apiKeyId", k.permissions,
  (extract(epoch FROM v.valid_until - now()) * 1000)::float8 AS "validForMs"
FROM api_key_values v JOIN api_keys k ON k.id = v.api_key_id
WHERE v.hash = ANY ($1::text[]) AND k.revoked_at IS NULL AND (v.valid_until IS NULL OR v.valid_until > now())`;
