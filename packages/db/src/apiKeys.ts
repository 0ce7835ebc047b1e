import { type ApiKeyPermissions, type ApiKeyScope, scopesOf } from '@holdfast/domain/apiKey';
import { limits } from '@holdfast/domain/limits';
import type { Database } from './client.ts';
import { inTransaction, runStatement } from './statement.ts';

export type NewApiKey = {
  id: string;
  organizationId: string;
  name: string;
  permissions: ApiKeyPermissions;
  hash: string;
  prefix: string;
  bounds?: ApiKeyBounds;
};

export type CreateApiKeyResult =
  | { kind: 'created'; createdAt: Date; isTest: boolean }
  | { kind: 'limit reached' }
  | { kind: 'no organization' };

/** Creates of one organization wait for each other, so that the limit also holds under concurrency. */
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

export type ApiKeyBounds = {
  scopes: ApiKeyScope[];
  expiresAt: Date | null;
  models: string[];
  /** Addresses and CIDR ranges; empty: all. */
  addresses: string[];
};

export type ApiKeyRow = ApiKeyBounds & {
  id: string;
  name: string;
  permissions: ApiKeyPermissions;
  prefix: string;
  isTest: boolean;
  createdAt: Date;
  revokedAt: Date | null;
};

/** A full key has every scope, also one that did not exist when the key was created. */
function withScopes<Row extends { permissions: string; scopes: string[] | null }>(row: Row) {
  const permissions = row.permissions as ApiKeyPermissions;
  return { ...row, permissions, scopes: scopesOf(permissions, permissions === 'full' ? null : row.scopes) };
}

export type FoundApiKey = ApiKeyBounds & {
  organizationId: string;
  apiKeyId: string;
  isTest: boolean;
  validForMs: number | null;
};

/** Finds the key of a value, given its SHA-256, unless it is revoked, expired or past its grace period. */
export async function findApiKey(db: Database, hash: string): Promise<FoundApiKey | null> {
  return (await findApiKeys(db, [hash])).get(hash) ?? null;
}

type Row = Omit<FoundApiKey, 'scopes'> & { hash: string; permissions: string; scopes: string[] | null };

export async function findApiKeys(db: Database, hashes: string[]): Promise<Map<string, FoundApiKey>> {
  const rows = await runStatement<Row>(db.pool, 'find_api_keys', findApiKeySql, [hashes]);
  return new Map(
    rows.map((row) => {
      const { hash, permissions: _, ...found } = withScopes(row);
      return [hash, found];
    }),
  );
}

/** Valid keys by id. `databaseMs`: the time of the database. */
export async function findApiKeysById(
  db: Database,
  ids: string[],
): Promise<Map<string, FoundApiKey & { databaseMs: number }>> {
  type ById = Omit<Row, 'hash'> & { databaseMs: number };
  const rows = await runStatement<ById>(db.pool, 'find_api_keys_by_id', findApiKeysByIdSql, [ids]);
  return new Map(
    rows.map((row) => {
      const { permissions: _, ...found } = withScopes(row);
      return [row.apiKeyId, found];
    }),
  );
}

const findApiKeysByIdSql = `
SELECT k.organization_id AS "organizationId", k.id AS "apiKeyId", k.permissions, k.scopes, k.expires_at AS "expiresAt",
  k.models, k.addresses, o.test_of IS NOT NULL AS "isTest",
  (extract(epoch FROM k.expires_at - now()) * 1000)::float8 AS "validForMs",
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "databaseMs"
FROM api_keys k JOIN organizations o ON o.id = k.organization_id
WHERE k.id = ANY ($1::text[]) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;

const findApiKeySql = `
SELECT v.hash, k.organization_id AS "organizationId", k.id AS "apiKeyId", k.permissions, k.scopes,
  k.expires_at AS "expiresAt", k.models, k.addresses, o.test_of IS NOT NULL AS "isTest",
  (extract(epoch FROM least(v.valid_until, k.expires_at) - now()) * 1000)::float8 AS "validForMs"
FROM unnest($1::text[]) AS h (hash)
  CROSS JOIN LATERAL (SELECT * FROM api_key_values WHERE hash = h.hash OFFSET 0) v
  CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE id = v.api_key_id OFFSET 0) k
  CROSS JOIN LATERAL (SELECT * FROM organizations WHERE id = k.organization_id OFFSET 0) o
WHERE k.revoked_at IS NULL AND (v.valid_until IS NULL OR v.valid_until > now())
  AND (k.expires_at IS NULL OR k.expires_at > now())`;

export async function hasApiKey(db: Database, id: string): Promise<boolean> {
  return (await runStatement(db.pool, 'has_api_key', hasApiKeySql, [id])).length > 0;
}

const hasApiKeySql = 'SELECT FROM api_keys WHERE id = $1';

export async function isKeyOf(db: Database, organizationId: string, id: string): Promise<boolean> {
  return (await runStatement(db.pool, 'is_key_of', isKeyOfSql, [id, organizationId])).length > 0;
}

const isKeyOfSql = `${hasApiKeySql} AND organization_id = $2`;

const isOwn = 'organization_id IN (SELECT id FROM organizations WHERE id = $2 OR test_of = $2)';

const keyColumns = `id, name, permissions, prefix, scopes, expires_at AS "expiresAt", models, addresses,
  EXISTS (SELECT FROM organizations WHERE id = api_keys.organization_id AND test_of IS NOT NULL) AS "isTest"`;

/** Newest first, with revoked keys and those of the test organization; `cursor`: only keys older than this id. */
export async function listApiKeys(
  db: Database,
  args: { organizationId: string; limit: number; cursor?: string | undefined },
): Promise<ApiKeyRow[]> {
  const { organizationId: id, limit, cursor } = args;
  const select = { id: true, testOf: true };
  const owners = await db.prisma.organization.findMany({ where: { OR: [{ id }, { testOf: id }] }, select });
  const rows = await db.prisma.apiKey.findMany({
    where: { organizationId: { in: owners.map((owner) => owner.id) }, ...(cursor && { id: { lt: cursor } }) },
    orderBy: { id: 'desc' },
    take: limit,
  });
  const test = owners.find(({ testOf }) => testOf !== null);
  return rows.map(({ organizationId, ...row }) => ({
    ...withScopes(row),
    isTest: organizationId === test?.id,
  }));
}

export async function getApiKey(db: Database, organizationId: string, id: string): Promise<ApiKeyRow | null> {
  const [row] = await runStatement<ApiKeyRow>(db.pool, 'get_api_key', getApiKeySql, [id, organizationId]);
  return row ? withScopes(row) : null;
}

const getApiKeySql = `SELECT ${keyColumns}, created_at AS "createdAt", revoked_at AS "revokedAt"
  FROM api_keys WHERE id = $1 AND ${isOwn}`;

/** Idempotent; false when the organization has no such key. */
export async function revokeApiKey(db: Database, organizationId: string, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'revoke_api_key', revokeApiKeySql, [id, organizationId]);
  return rows.length > 0;
}

const revokeApiKeySql = `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())
  WHERE id = $1 AND ${isOwn} RETURNING id`;

export type RotatedApiKey = Omit<ApiKeyRow, 'createdAt' | 'revokedAt'> & { previousKeyValidUntil: Date };

/**
 * The old value stays valid for the grace period (contract 9.3). Rotations of one key wait for each other, so every
 * value but the last expires. Null when the key is missing, revoked or expired.
 */
export async function rotateApiKey(
  db: Database,
  args: { organizationId: string; id: string; hash: string; prefix: string },
): Promise<RotatedApiKey | null> {
  return inTransaction(db, async (client) => {
    const [key] = await runStatement<Omit<RotatedApiKey, 'previousKeyValidUntil'>>(
      client,
      'rotate_api_key_prefix',
      setPrefix,
      [args.id, args.organizationId, args.prefix],
    );
    if (!key) return null;
    const [added] = await runStatement<{ previousKeyValidUntil: Date }>(
      client,
      'rotate_api_key_values',
      replaceValue,
      [args.id, args.hash, limits.apiKeyGraceMs],
    );
    if (!added) throw new Error('the new value of a key was not stored');
    return { ...withScopes(key), ...added };
  });
}

const setPrefix = `UPDATE api_keys SET prefix = $3
  WHERE id = $1 AND ${isOwn} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
  RETURNING ${keyColumns}`;

/** `clock_timestamp`: the transaction may have waited long for the lock. */
const replaceValue = `WITH ended AS (
    UPDATE api_key_values SET valid_until = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE api_key_id = $1 AND valid_until IS NULL
    RETURNING valid_until
  ), forgotten AS (
    DELETE FROM api_key_values WHERE api_key_id = $1 AND valid_until < now()
  ), added AS (
    INSERT INTO api_key_values (hash, api_key_id) VALUES ($2, $1)
  )
  SELECT coalesce((SELECT max(valid_until) FROM ended), now()) AS "previousKeyValidUntil"`;
