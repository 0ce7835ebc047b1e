import { getSpendLimits, type SpendLimit } from '@holdfast/db/spendLimits';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { amount } from '../executions/records.ts';

const SpendLimitRecord = z
  .object({
    amount: amount('What may be spent in a month (UTC)'),
    month: z.string().describe('This month').meta({ example: '2026-03' }),
    spent: amount(
      'Of executions created in this month: what they cost, and the holds of those that have not ended',
    ),
    remaining: amount('What is left of the amount'),
  })
  .meta({ id: 'SpendLimit' });

export const spendLimitField = SpendLimitRecord.nullable().meta({
  description: 'How much of a month may be spent; null: there is no limit',
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

/** The limit of one organization or key. */
export async function readSpendLimit({ db }: Context, scopeId: string): Promise<SpendLimitField> {
  return spendLimitRecord((await getSpendLimits(db, [scopeId])).get(scopeId));
}
