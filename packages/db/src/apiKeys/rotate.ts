import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';
import { isOwn } from './isOwn.ts';
import { type ApiKeyRow, withScopes } from './row.ts';

export type RotatedApiKey = Omit<ApiKeyRow, 'createdAt' | 'revokedAt'> & { previousKeyValidUntil: Date };

/**
 * Gives a key a new value; the old one lives for the grace period of the spec's "Limits". Rotations of one key wait
 * for each other, so that every value but the last has an end. Null when there is no such key, or it is revoked or expired.
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

/** Also locks the key's row. */
const setPrefix = `UPDATE api_keys SET prefix = $3
  WHERE id = $1 AND ${isOwn} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
  RETURNING id, name, permissions, prefix, scopes, expires_at AS "expiresAt", models, addresses,
    organization_id IN (SELECT id FROM organizations WHERE test_of IS NOT NULL) AS "isTest"`;

/** `clock_timestamp`, for the transaction may have begun long before it got the lock. */
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
