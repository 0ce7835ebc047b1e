import type { ApiKeyBounds, ApiKeyRow } from '@holdfast/db/apiKeys';
import { createApiKey } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { apiKeyPrefix, hashApiKey, newApiKey, permissionsOf } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { notFound } from '../http/fields.ts';

/** A new key and its value, which is stored nowhere. @throws API_KEY_LIMIT_REACHED, NOT_FOUND (the organization) */
export async function issueApiKey(
  db: Database,
  wanted: { organizationId: string; name: string; bounds: ApiKeyBounds },
): Promise<ApiKeyRow & { value: string }> {
  const value = newApiKey();
  const key = {
    id: newId('key'),
    ...wanted,
    permissions: permissionsOf(wanted.bounds.scopes),
    hash: hashApiKey(value),
    prefix: apiKeyPrefix(value),
  };
  const result = await createApiKey(db, key);
  if (result.kind === 'no organization') throw notFound('organization');
  if (result.kind === 'limit reached') {
    const message = `There are ${limits.maxApiKeysPerOrganization} active API keys already. Revoke one first.`;
    throw new ApiError('API_KEY_LIMIT_REACHED', message);
  }
  const { id, name, permissions, prefix, bounds } = key;
  return {
    id,
    name,
    permissions,
    prefix,
    ...bounds,
    createdAt: result.createdAt,
    isTest: result.isTest,
    revokedAt: null,
    value,
  };
}
