import { type ApiKeyBounds, type ApiKeyRow, createApiKey } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { testOrganization } from '@holdfast/db/organizations';
import { type ApiKeyMode, apiKeyPrefix, hashApiKey, newApiKey, permissionsOf } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import type { Context } from '../context.ts';
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

/**
 * Whose a new key will be: with `test` the test organization's, which is made with its first key.
 * @throws ApiError FORBIDDEN for a live key asked for by a test key or in its organization, NOT_FOUND
 */
export async function ownerOf(
  { db, box }: Context,
  maker: { organizationId: string; isTest: boolean },
  mode: ApiKeyMode | undefined,
): Promise<string> {
  if (maker.isTest && mode === 'live') {
    throw new ApiError('FORBIDDEN', 'Test keys, and test organizations, get test keys alone.');
  }
  if (maker.isTest || mode !== 'test') return maker.organizationId;
  const id = newId('org');
  const sealedSecret = box.seal(newWebhookSecret());
  const owner = await testOrganization(db, { of: maker.organizationId, id, sealedSecret });
  if (owner === null) throw notFound('organization');
  return owner;
}
