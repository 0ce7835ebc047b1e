import { isKeyOf } from '@holdfast/db/apiKeys';
import { removeSpendLimit, setSpendLimit } from '@holdfast/db/spendLimits';
import type { Money } from '@holdfast/domain/money';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Reply } from '../http/endpoint.ts';
import { idField, knownShape, notFound } from '../http/fields.ts';
import { readSpendLimit, spendLimitField } from '../spendLimits/spendLimitRecord.ts';
import { limitAmount } from './amounts.ts';
import { findOrganization } from './findOrganization.ts';

type Scope = { organizationId: string; apiKeyId: string | null };

export const spendLimitBody = z.strictObject({ amount: limitAmount });

export const LimitedRecord = z
  .object({
    organization_id: idField('org'),
    api_key_id: idField('key').nullable(),
    spend_limit: spendLimitField,
  })
  .meta({ id: 'Limited' });

export const limitedKeyParams = z.object({ id: idField('org'), key_id: idField('key') });

/** @throws ApiError NOT_FOUND for an organization that is unknown, or a key that is none of its */
export async function findScope(context: Context, id: string, keyId: string | null): Promise<Scope> {
  const { id: organizationId } = await findOrganization(context, id);
  if (keyId === null) return { organizationId, apiKeyId: null };
  const apiKeyId = knownShape('key', keyId, 'API key');
  if (!(await isKeyOf(context.db, organizationId, apiKeyId))) throw notFound('API key');
  return { organizationId, apiKeyId };
}

/** Sets the limit, or with null takes it away, and answers it. */
export async function answerSpendLimit(
  context: Context,
  { organizationId, apiKeyId }: Scope,
  amount: Money | null,
): Promise<Reply> {
  const scopeId = apiKeyId ?? organizationId;
  if (amount === null) await removeSpendLimit(context.db, scopeId);
  else await setSpendLimit(context.db, { organizationId, apiKeyId, amount });
  const body: z.infer<typeof LimitedRecord> = {
    organization_id: organizationId,
    api_key_id: apiKeyId,
    spend_limit: await readSpendLimit(context, scopeId),
  };
  return { status: 200, body };
}
