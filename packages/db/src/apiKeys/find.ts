import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type ApiKeyBounds, withScopes } from './row.ts';

export type FoundApiKey = ApiKeyBounds & {
  organizationId: string;
  apiKeyId: string;
  /** It belongs to a test organization. */
  isTest: boolean;
  /** What is left of a rotated value's grace period, or until the key expires. Null: no end is set. */
  validForMs: number | null;
};

/** The key that a value (by its SHA-256) belongs to, unless it is revoked, expired or past its grace period. */
export async function findApiKey(db: Database, hash: string): Promise<FoundApiKey | null> {
  return (await findApiKeys(db, [hash])).get(hash) ?? null;
}

type Row = Omit<FoundApiKey, 'scopes'> & { hash: string; permissions: string; scopes: string[] | null };

/** As `findApiKey`, of many at once, by their hashes. */
export async function findApiKeys(db: Database, hashes: string[]): Promise<Map<string, FoundApiKey>> {
  const rows = await runStatement<Row>(db.pool, 'find_api_keys', statement, [hashes]);
  return new Map(
    rows.map((row) => {
      const { hash, permissions: _, ...found } = withScopes(row);
      return [hash, found];
    }),
  );
}

const statement = `
SELECT v.hash, k.organization_id AS "organizationId", k.id AS "apiKeyId", k.permissions, k.scopes,
  k.expires_at AS "expiresAt", k.models, k.addresses, o.test_of IS NOT NULL AS "isTest",
  (extract(epoch FROM least(v.valid_until, k.expires_at) - now()) * 1000)::float8 AS "validForMs"
FROM api_key_values v JOIN api_keys k ON k.id = v.api_key_id JOIN organizations o ON o.id = k.organization_id
WHERE v.hash = ANY ($1::text[]) AND k.revoked_at IS NULL AND (v.valid_until IS NULL OR v.valid_until > now())
  AND (k.expires_at IS NULL OR k.expires_at > now())`;
