import { type ApiKeyBounds, type ApiKeyRow, createApiKey } from '@holdfast/db/apiKeys';
import type { Database } from '@holdfast/db/client';
import { testOrganization } from '@holdfast/db/organizations';
import { type ApiKeyMode, apiKeyPrefix, hashApiKey, newApiKey, permissionsOf } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { notFound } from '../http/fields.ts';

/** Creates a key. Its value is returned and never stored. @throws API_KEY_LIMIT_REACHED, NOT_FOUND (the organization) */
export async function issueApiKey(
  db: Database,
  request: { organizationId: string; name: string; bounds: ApiKeyBounds },
): Promise<ApiKeyRow & { value: string }> {
  const value = newApiKey();
  const key = {
    id: newId('key'),
    ...request,
    permissions: permissionsOf(request.bounds.scopes),
    hash: hashApiKey(value),
    prefix: apiKeyPrefix(value),
  };
  const result = await createApiKey(db, key);
  if (result.kind === 'no organization') throw notFound('organization');
  if (result.kind === 'limit reached') {
    const message = `The organization already has ${limits.maxApiKeysPerOrganization} active API keys. Revoke one first.`;
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

/** `test` creates the test organization. @throws ApiError NOT_FOUND, FORBIDDEN for a live key in a test organization */
export async function resolveOwner(
  { db, box }: { db: Database; box: SealedBox },
  creator: { organizationId: string; isTest: boolean },
  mode: ApiKeyMode | undefined,
): Promise<string> {
  if (creator.isTest && mode === 'live') {
    throw new ApiError('FORBIDDEN', 'Test keys and test organizations can only create test keys.');
  }
  if (creator.isTest || mode !== 'test') return creator.organizationId;
  const id = newId('org');
  const sealedSecret = box.seal(newWebhookSecret());
  const owner = await testOrganization(db, { of: creator.organizationId, id, sealedSecret });
  if (owner === null) throw notFound('organization');
  return owner;
}
