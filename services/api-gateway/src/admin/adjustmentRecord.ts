import { getBalance } from '@holdfast/db/balances';
import { formatMoney, type Money } from '@holdfast/domain/money';
import { z } from 'zod';
import { BalanceRecord, balanceRecord } from '../api/balance/balanceRecord.ts';
import type { Context } from '../context/context.ts';
import type { Reply } from '../http/endpoint.ts';
import { amount, idField, timestamp } from '../http/fields.ts';
import { readIdempotencyKey } from '../http/requestHeaders.ts';
import { type Added, adjust } from '../money/adjustments.ts';
import { findOrganization } from './organizations.ts';

export const AdjustmentRecord = z
  .object({
    organization_id: idField('org'),
    amount: amount('The amount that was added; below 0 when a correction reduced the balance'),
    reason: z.string().nullable(),
    available_after: amount('The available balance right after the adjustment'),
    created_at: timestamp('When it was added'),
    balance: BalanceRecord,
  })
  .meta({ id: 'Adjustment' });

/** 201, or the original transfer with `Idempotent-Replayed`. @throws ApiError as `adjust` does */
export async function replyWithAdjustment(
  context: Context,
  request: {
    id: string;
    kind: 'top_up' | 'correction';
    amount: Money;
    reason: string | null;
    idempotencyKey: string | string[] | undefined;
  },
): Promise<Reply> {
  const { kind, amount, reason } = request;
  const idempotencyKey = readIdempotencyKey(request.idempotencyKey, false);
  const { id: organizationId } = await findOrganization(context, request.id);
  const added = await adjust(context, { organizationId, kind, amount, reason, idempotencyKey });
  return await replyWithTransfer(context, organizationId, added);
}

/** `fields`: more of the record. */
export async function replyWithTransfer(
  context: Context,
  organizationId: string,
  { transfer, isReplay }: Added,
  fields: Record<string, string> = {},
): Promise<Reply> {
  const balance = await getBalance(context.db, organizationId);
  const record: z.infer<typeof AdjustmentRecord> = {
    organization_id: organizationId,
    amount: formatMoney(transfer.amount),
    reason: transfer.reason,
    available_after: formatMoney(transfer.availableAfter),
    created_at: transfer.createdAt.toISOString(),
    balance: balanceRecord(balance ?? { available: '0', held: '0' }),
    ...fields,
  };
  return { status: 201, body: record, ...(isReplay && { headers: { 'Idempotent-Replayed': 'true' } }) };
}
