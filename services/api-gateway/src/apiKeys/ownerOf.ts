import { testOrganization } from '@holdfast/db/organizations';
import type { ApiKeyMode } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import type { Context } from '../context.ts';
import { notFound } from '../http/fields.ts';

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
