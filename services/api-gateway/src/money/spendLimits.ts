import { isKeyOf } from '@holdfast/db/apiKeys';
import { getSpendLimits, removeSpendLimit, type SpendLimit, setSpendLimit } from '@holdfast/db/spendLimits';
import { formatMoney, type Money, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import type { Reply } from '../http/endpoint.ts';
import { amount, idField, notFound, requireId } from '../http/fields.ts';
import { limitAmount } from './amounts.ts';

const SpendLimitRecord = z
  .object({
    amount: amount('Maximum spend in a month (UTC)'),
    month: z.string().describe('The current month').meta({ example: '2026-03' }),
    spent: amount('The cost of executions created this month, plus the holds of those still open'),
    remaining: amount('What can still be spent this month'),
  })
  .meta({ id: 'SpendLimit' });

export const spendLimitField = SpendLimitRecord.nullable().meta({
  description: 'Monthly spend limit; null: no limit',
  example: { amount: '100.00', month: '2026-03', spent: '12.60', remaining: '87.40' },
});

type SpendLimitField = z.infer<typeof spendLimitField>;

export function spendLimitRecord(limit: SpendLimit | undefined): SpendLimitField {
  if (!limit) return null;
  const remaining = MoneyDecimal.max(0, new MoneyDecimal(limit.amount).minus(limit.spent));
  return {
    amount: formatMoney(limit.amount),
    month: limit.month,
    spent: formatMoney(limit.spent),
    remaining: formatMoney(remaining),
  };
}

export async function readSpendLimit({ db }: Context, scopeId: string): Promise<SpendLimitField> {
  return spendLimitRecord((await getSpendLimits(db, [scopeId])).get(scopeId));
}

export const spendLimitBody = z.strictObject({ amount: limitAmount });

export const LimitedRecord = z
  .object({
    organization_id: idField('org'),
    api_key_id: idField('key').nullable(),
    spend_limit: spendLimitField,
  })
  .meta({ id: 'Limited' });

export const limitedKeyParams = z.object({ id: idField('org'), key_id: idField('key') });

/** @throws ApiError NOT_FOUND when the organization has no such key */
export async function findLimitedKey(context: Context, organizationId: string, id: string): Promise<string> {
  const apiKeyId = requireId('key', id, 'API key');
  if (!(await isKeyOf(context.db, organizationId, apiKeyId))) throw notFound('API key');
  return apiKeyId;
}

/** Sets the limit of a key, or of its organization when `apiKeyId` is null; an amount of null removes it. */
export async function changeSpendLimit(
  context: Context,
  { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string | null },
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
