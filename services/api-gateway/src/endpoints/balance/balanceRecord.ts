import { formatMoney, type Money, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import { amount } from '../../executions/records.ts';

export const BalanceRecord = z
  .object({
    available: amount('Free for new executions'),
    held: amount('Reserved by executions that have not ended'),
    total: amount('Both together'),
    currency: z.literal('USD'),
  })
  .meta({
    id: 'Balance',
    example: { available: '9.40', held: '0.60', total: '10.00', currency: 'USD' },
  });

export function balanceRecord({ available, held }: { available: Money; held: Money }) {
  return {
    available: formatMoney(available),
    held: formatMoney(held),
    total: formatMoney(new MoneyDecimal(available).plus(held)),
    currency: 'USD',
  } as const;
}
