import { getBalance } from '@holdfast/db/balances';
import { formatMoney, type Money } from '@holdfast/domain/money';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { BalanceRecord, balanceRecord } from '../endpoints/balance/balanceRecord.ts';
import { readIdempotencyKey } from '../executions/idempotencyKey.ts';
import { amount } from '../executions/records.ts';
import type { Reply } from '../http/endpoint.ts';
import { idField, timestamp } from '../http/fields.ts';
import { adjust } from './adjust.ts';
import { findOrganization } from './findOrganization.ts';

export const AdjustmentRecord = z
  .object({
    organization_id: idField('org'),
    amount: amount('What was added; of a correction that took, below 0'),
    reason: z.string().nullable(),
    available_after: amount('Available once it was added'),
    created_at: timestamp('When it was added'),
    balance: BalanceRecord,
  })
  .meta({ id: 'Adjustment' });

/** 201 with the transfer, for a replay with the first one's and `Idempotent-Replayed`, and the present balance. @throws ApiError as `adjust` */
export async function answerAdjustment(
  context: Context,
  asked: {
    id: string;
    kind: 'top_up' | 'correction';
    amount: Money;
    reason: string | null;
    idempotencyKey: string | string[] | undefined;
  },
): Promise<Reply> {
  const { kind, amount, reason } = asked;
  const idempotencyKey = readIdempotencyKey(asked.idempotencyKey, false);
  const { id: organizationId } = await findOrganization(context, asked.id);
  const { transfer, isReplay } = await adjust(context, {
    organizationId,
    kind,
    amount,
    reason,
    idempotencyKey,
  });
  const balance = await getBalance(context.db, organizationId);
  const record: z.infer<typeof AdjustmentRecord> = {
    organization_id: organizationId,
    amount: formatMoney(transfer.amount),
    reason: transfer.reason,
    available_after: formatMoney(transfer.availableAfter),
    created_at: transfer.createdAt.toISOString(),
    balance: balanceRecord(balance ?? { available: '0', held: '0' }),
  };
  return { status: 201, body: record, ...(isReplay && { headers: { 'Idempotent-Replayed': 'true' } }) };
}
