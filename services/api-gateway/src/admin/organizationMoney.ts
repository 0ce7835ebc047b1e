import { type OrganizationMoney, shownDays } from '@holdfast/db/organizationMoney';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { amount } from '../http/fields.ts';

/** What a list of organizations includes if it is asked to. */
export const moneyFields = {
  balance: z
    .object({ available: amount('Available balance'), held: amount('Held for open executions') })
    .optional(),
  spend: z
    .object({
      last_30_days: amount('What completed executions cost'),
      days: z
        .array(z.string())
        .meta({ description: `The same for each of these ${shownDays} days (UTC), the last of them today` }),
    })
    .optional(),
  runs_low: z
    .boolean()
    .optional()
    .describe('Whether less is available than the last 7 days cost. With `include=spend`'),
};

const dayMs = 86_400_000;

export function moneyRecord(money: OrganizationMoney | undefined, include: readonly string[]) {
  if (money === undefined) return {};
  const { available, held, spend, days, runsLow } = money;
  return {
    ...(include.includes('balance') && {
      balance: { available: formatMoney(available), held: formatMoney(held) },
    }),
    ...(include.includes('spend') && {
      spend: {
        last_30_days: formatMoney(spend),
        days: lastDays(Date.now()).map((day) => formatMoney(days[day] ?? '0')),
      },
      runs_low: runsLow,
    }),
  };
}

const lastDays = (nowMs: number) =>
  Array.from({ length: shownDays }, (_, index) =>
    new Date(nowMs - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
