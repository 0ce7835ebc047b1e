import { formatMoney, type Money, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import { amount } from '../../http/fields.ts';
import { spendLimitField } from '../../money/spendLimits.ts';

const fields = {
  available: amount('Available for new executions'),
  held: amount('Reserved by open executions'),
  total: amount('`available` plus `held`'),
  currency: z.literal('USD'),
};

/** As the admin API returns it. */
export const BalanceRecord = z.object(fields).meta({ id: 'OrganizationBalance' });

/** As the public API returns it. */
export const LimitedBalanceRecord = z.object({ ...fields, spend_limit: spendLimitField }).meta({
  id: 'Balance',
  example: { available: '9.40', held: '0.60', total: '10.00', currency: 'USD', spend_limit: null },
});

export function balanceRecord({ available, held }: { available: Money; held: Money }) {
  return {
    available: formatMoney(available),
    held: formatMoney(held),
    total: formatMoney(new MoneyDecimal(available).plus(held)),
    currency: 'USD',
  } as const;
}
