import type { ApiKeyPermissions } from '@holdfast/domain/apiKey';
import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';
import type { ApiKeyBounds } from './row.ts';

export type NewApiKey = {
  id: string;
  organizationId: string;
  name: string;
  permissions: ApiKeyPermissions;
  hash: string;
  prefix: string;
  /** Left out: without any but its permissions. */
  bounds?: ApiKeyBounds;
};

export type CreateApiKeyResult =
  | { kind: 'created'; createdAt: Date; isTest: boolean }
  /** Spec, "Limits": API keys per organization. */
  | { kind: 'limit reached' }
  | { kind: 'no organization' };

/** A new key. Creates of one organization wait for each other, so that the limit holds under race too. */
export async function createApiKey(db: Database, key: NewApiKey): Promise<CreateApiKeyResult> {
  return inTransaction(db, async (client) => {
    const [owner] = await runStatement<{ isTest: boolean }>(client, 'lock_organization', lock, [
      key.organizationId,
    ]);
    if (!owner) return { kind: 'no organization' };
    const [created] = await runStatement<{ createdAt: Date }>(client, 'create_api_key', insert, [
      key.id,
      key.organizationId,
      key.name,
      key.permissions,
      key.prefix,
      key.hash,
      limits.maxApiKeysPerOrganization,
      key.bounds?.scopes ?? null,
      key.bounds?.expiresAt ?? null,
      key.bounds?.models ?? [],
      key.bounds?.addresses ?? [],
    ]);
    return created ? { kind: 'created', ...created, ...owner } : { kind: 'limit reached' };
  });
}

const lock = `SELECT test_of IS NOT NULL AS "isTest" FROM organizations WHERE id = $1 FOR UPDATE`;

const insert = `
WITH added AS (
  INSERT INTO api_keys (id, organization_id, name, permissions, prefix, scopes, expires_at, models, addresses)
  SELECT $1, $2, $3, $4, $5, $8::text[], $9::timestamptz, $10::text[], $11::text[]
  WHERE (SELECT count(*) FROM api_keys WHERE organization_id = $2 AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())) < $7::int
  RETURNING id, created_at
),
value AS (INSERT INTO api_key_values (hash, api_key_id) SELECT $6, id FROM added)
SELECT created_at AS "createdAt" FROM added`;
