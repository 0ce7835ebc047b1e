import { getBalance } from '@holdfast/db/balances/get';
import { topUp } from '@holdfast/db/balances/topUp';
import { ApiError } from '@holdfast/domain/errors';
import { formatMoney, isMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import { BalanceRecord, balanceRecord } from '../../endpoints/balance/balanceRecord.ts';
import { readIdempotencyKey } from '../../executions/idempotencyKey.ts';
import { amount } from '../../executions/records.ts';
import { callerlessEndpoint } from '../../http/endpoint.ts';
import { idField, idParams, knownShape, notFound, timestamp } from '../../http/fields.ts';

/** Far from where a balance would no longer fit its column. */
const maxAmount = 1_000_000_000;

const TopUpRecord = z
  .object({
    organization_id: idField('org'),
    amount: amount('What was added'),
    reason: z.string().nullable(),
    available_after: amount('Available once it was added'),
    created_at: timestamp('When it was added'),
    balance: BalanceRecord,
  })
  .meta({ id: 'TopUp' });

export const postTopUp = callerlessEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/top-ups',
  tag: 'Organizations',
  summary: "Add to an organization's balance",
  description: 'With an `Idempotency-Key` it is added once, however often it is sent.',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  headers: z.object({ 'Idempotency-Key': z.string().optional() }),
  body: z.strictObject({
    amount: z
      .string()
      .refine(isMoney, 'must be a decimal in a string with at most 8 decimals, such as "25.00"')
      .refine(isInRange, {
        message: `must be more than 0 and at most ${maxAmount}`,
        params: { code: 'OUT_OF_RANGE' },
      }),
    reason: z.string().max(500).optional(),
  }),
  responses: { 201: { description: 'Added', schema: TopUpRecord } },
  async handle({ context, params, body, headers }) {
    const organizationId = knownShape('org', params.id, 'organization');
    const added = await topUp(context.db, {
      organizationId,
      amount: body.amount,
      reason: body.reason ?? null,
      idempotencyKey: readIdempotencyKey(headers['idempotency-key'], false),
    });
    const balance = await getBalance(context.db, organizationId);
    if (!added || !balance) throw notFound('organization');
    if (!new MoneyDecimal(added.amount).eq(body.amount)) {
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another amount.');
    }
    const record: z.infer<typeof TopUpRecord> = {
      organization_id: organizationId,
      amount: formatMoney(added.amount),
      reason: added.reason,
      available_after: formatMoney(added.availableAfter),
      created_at: added.createdAt.toISOString(),
      balance: balanceRecord(balance),
    };
    return { status: 201, body: record };
  },
});

function isInRange(value: string): boolean {
  if (!isMoney(value)) return false;
  const amount = new MoneyDecimal(value);
  return amount.gt(0) && amount.lte(maxAmount);
}
